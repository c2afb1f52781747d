package gospans

import (
	"runtime"
	"runtime/debug"
	"testing"
	"unsafe"

	"github.com/cgoheap/cgoheap/internal/peek"
)

// A copy is as large as a g, and has pointers as a g has.
type copied struct {
	words [gBytes/8 - 1]uint64
	_     *byte
}

type small struct {
	_ [2]uint64
	_ *byte
}

// copies has a value in the file, so that it lies in front of the runtime's list, which has none.
var copies = []*copied{nil}

func addressesOf[T any](objects []*T) (list slice) {
	return slice{uint64(uintptr(unsafe.Pointer(unsafe.SliceData(objects)))), uint64(len(objects)), uint64(cap(objects))}
}

// heads returns objects that begin with the bounds.
func heads[T any](bounds [][2]uint64) (objects []*T) {
	for _, b := range bounds {
		o := new(T)
		*(*[2]uint64)(unsafe.Pointer(o)) = b
		objects = append(objects, o)
	}
	return objects
}

// What the elements of a list begin with may look like the bounds of goroutines' stacks.
func TestAListIsOfGoroutinesOnlyIfEachHasItsOwnStack(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // a collection could move stacks, and free the lists
	runtime.GC()                                     // one that had begun has ended then
	l, err := Find()
	if err != nil {
		t.Fatal(err)
	}
	trials, err := begin()
	if err != nil {
		t.Fatal(err)
	}
	defer trials.end()
	header := make([]byte, sliceBytes)
	if peek.Copy(header, l.Goroutines) != sliceBytes || !l.locate(sliceIn(header), trials) {
		t.Fatal("the trials are not in the list of goroutines")
	}
	own := make([][2]uint64, 0, len(trials.all))
	for _, one := range trials.all {
		own = append(own, [2]uint64{one.lo, one.hi})
	}
	with := func(i int, lo, hi uint64) [][2]uint64 {
		changed := append([][2]uint64(nil), own...)
		changed[i] = [2]uint64{lo, hi}
		return changed
	}
	var none [2]uint64
	arena := own[0][0] &^ (ArenaBytes - 1)
	for _, c := range []struct {
		what   string
		list   slice
		wanted bool
	}{
		{"they have", addressesOf(heads[copied](own)), true},
		{"others have none", addressesOf(heads[copied](append([][2]uint64{none, none}, own...))), true},
		{"one has all addresses", addressesOf(heads[copied]([][2]uint64{none, none, {1, 1<<63 - 1}})), false},
		{"one has all of an arena, and others their own", addressesOf(heads[copied](append([][2]uint64{{arena, arena + ArenaBytes}}, own...))), false},
		{"two have the same", addressesOf(heads[copied](append([][2]uint64{own[1]}, own...))), false},
		{"one has none", addressesOf(heads[copied](with(1, 0, 0))), false},
		{"one has two, and one has none", addressesOf(heads[copied](with(1, own[0][0], own[0][1]))), false},
		{"one has a size that no stack has", addressesOf(heads[copied](with(1, own[1][0], own[1][1]+8))), false},
		{"one begins where no stack does", addressesOf(heads[copied](with(2, own[2][0]-8, own[2][1]-8))), false},
		{"they are too small", addressesOf(heads[small](own)), false},
		{"they have no pointers", addressesOf(heads[[gBytes / 8]uint64](own)), false},
	} {
		t.Run(c.what, func(t *testing.T) {
			if got := l.locate(c.list, trials); got != c.wanted {
				t.Errorf("%t, of the bounds %x", got, own)
			}
		})
	}
}

func TestTrialsAreApart(t *testing.T) {
	for _, c := range []struct {
		lo, hi uint64
		wanted bool
	}{{16, 32, false}, {0, 16, true}, {0, 17, false}, {31, 64, false}, {32, 64, true}, {0, 64, false}, {20, 24, false}} {
		all := trials{all: []*trial{{g: 8, lo: 64, hi: 96}, {g: 16, lo: 16, hi: 32}, {g: 24, lo: c.lo, hi: c.hi}}}
		if got := all.apart(); got != c.wanted {
			t.Errorf("%d to %d: %t", c.lo, c.hi, got)
		}
	}
}

// Where something else looks like the list of goroutines, the search goes on.
func TestTheSearchForGoroutinesGoesOn(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	runtime.GC() // as above
	want, err := Find()
	if err != nil {
		t.Fatal(err)
	}
	if at := uint64(uintptr(unsafe.Pointer(&copies))); at < uint64(uintptr(unsafe.Pointer(&runtime.MemProfileRate))) || at > want.Goroutines {
		t.Fatalf("the runtime's list, at %#x, is searched before the other, at %#x", want.Goroutines, at)
	}
	trials, err := begin()
	if err != nil {
		t.Fatal(err)
	}
	defer trials.end()
	header := make([]byte, sliceBytes)
	if peek.Copy(header, want.Goroutines) != sliceBytes || !want.locate(sliceIn(header), trials) {
		t.Fatal("the trials are not in the list of goroutines")
	}
	copies = make([]*copied, len(trials.all))
	defer func() { copies = nil }()
	for i, one := range trials.all {
		copies[i] = new(copied)
		b := make([]byte, gBytes)
		if peek.Copy(b, one.g) != len(b) {
			t.Fatal("a g cannot be read")
		}
		for k := range copies[i].words {
			copies[i].words[k] = wide(b[8*k:])
		}
	}
	if !want.locate(addressesOf(copies), trials) {
		t.Fatal("the other does not look like a list of goroutines")
	}
	got := want
	got.Goroutines, got.G = 0, G{}
	if err := got.findGoroutinesBy(trials); err != nil || got != want {
		t.Errorf("%v: found %+v, want %+v", err, got, want)
	}
}
