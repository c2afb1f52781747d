//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/internal/account"
	"github.com/cgoheap/cgoheap/internal/layout"
	"github.com/cgoheap/cgoheap/internal/victim"
)

func TestSixtyFourCallersThatMap(t *testing.T) {
	const bits = 6
	r := start(t, everything)
	where := map[unsafe.Pointer]uintptr{}
	for path := range uintptr(1 << bits) {
		p := mapByTree(bits, path)
		where[p] = path
		defer victim.Unmap(p, page)
	}
	list, _ := mapped(t, r)
	for p, path := range where {
		m := at(list, p)
		if m == nil {
			t.Fatalf("nobody knows who mapped for path %b", path)
		}
		var names []string
		for _, f := range m.Frames {
			if _, name, ok := strings.Cut(goFunction(f), "alloc.mapTree"); ok {
				names = append(names, name)
			}
		}
		if got := strings.Join(names, " "); got != wantPath(bits, path) {
			t.Errorf("%s, want %s", got, wantPath(bits, path))
		}
	}
}

//go:noinline
func mapTreeZero(bits int, path uintptr) unsafe.Pointer { return mapByTree(bits, path) }

//go:noinline
func mapTreeOne(bits int, path uintptr) unsafe.Pointer { return mapByTree(bits, path) }

func TestTablesOfTenThousandMappings(t *testing.T) {
	const bits, count = 6, 10000
	r := start(t, everything)
	before := value(t, r, "table_bytes")
	blocks := make([]unsafe.Pointer, count)
	for i := range blocks {
		blocks[i] = mapByTree(bits, uintptr(i)%(1<<bits))
	}
	if _, err := r.Snapshot(); err != nil {
		t.Fatal(err)
	}
	grown := value(t, r, "table_bytes") - before
	if list, _ := mapped(t, r); at(list, blocks[0]) == nil || at(list, blocks[count-1]) == nil {
		t.Error("nobody knows who mapped the first and the last")
	}
	for _, p := range blocks {
		if err := victim.Unmap(p, page); err != nil {
			t.Fatal(err)
		}
	}
	if fixed := uint64(layout.SizeofMappedTable); grown+fixed > 2<<20 {
		t.Errorf("the tables grew by %d bytes, and have %d always", grown, fixed)
	}
	lossless(t, r)
}

func mapByTree(bits int, path uintptr) unsafe.Pointer {
	switch {
	case bits == 0:
		return victim.Map(nil, page, false)
	case path&1 == 0:
		return mapTreeZero(bits-1, path>>1)
	default:
		return mapTreeOne(bits-1, path>>1)
	}
}

// While threads of C map and unmap, and a program starts others, what is recorded is always mapped, and never Go's.
func TestMappingsWhileThreadsMap(t *testing.T) {
	r := start(t, everything)
	kept := mapIt(7 * page)
	defer victim.Unmap(kept, 7*page)
	var finished sync.WaitGroup
	finished.Go(func() {
		if err := victim.MapOnThreads(8, 3000); err != nil {
			t.Error(err)
		}
	})
	finished.Go(func() {
		for range 5 {
			if err := victim.Spawn(); err != nil {
				t.Error(err)
			}
		}
	})
	for range 50 {
		list, kernel := mapped(t, r)
		if ranges := beyond(list, kernel); len(ranges) > 0 {
			t.Fatalf("nothing is mapped at %x", ranges)
		}
	}
	finished.Wait()
	list, _ := mapped(t, r)
	if m := at(list, kept); m == nil && value(t, r, "lost_mapped") == 0 {
		t.Error("what was mapped all the time is not known")
	}
	for i := range list {
		if m := &list[i]; m.Kind == account.Program && len(m.Frames) > 0 && m.Start != uint64(uintptr(kept)) {
			t.Errorf("%+v is left", m)
		}
	}
}

func TestMappingsThatChangeMeanwhile(t *testing.T) {
	r := start(t, everything)
	p, q := mapIt(page), mapIt(page)
	defer victim.Unmap(q, page)
	list, err := r.Mappings(func() error { return victim.Unmap(p, page) })
	if err != nil {
		t.Fatal(err)
	}
	if at(list, p) != nil || at(list, q) == nil {
		t.Errorf("%+v %+v", at(list, p), at(list, q))
	}
	stop(t, r)
	if _, err := r.Mappings(func() error { return nil }); !errors.Is(err, errStopped) {
		t.Error(err)
	}
}

// What a call maps for whose stack there is no room counts as "mapped, caller unknown", and the call is counted.
func TestMappingsOfAFullTable(t *testing.T) {
	o := everything
	o.TableBytes = 8 << 20
	r := start(t, o)
	for {
		if _, ok := cgo.Reserve(1 << 10); !ok {
			break
		}
	}
	p := mapIt(page)
	defer victim.Unmap(p, page)
	list, _ := mapped(t, r)
	if m := at(list, p); m != nil && len(m.Frames) == 0 {
		t.Errorf("%+v", m)
	}
	if at(list, p) == nil && value(t, r, "lost_mapped") == 0 {
		t.Error("it is lost, and not counted")
	}
}
