package scratch

import (
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"unsafe"
)

// collected reports whether an object is collected that only values of type T lead to, which fill makes.
func collected[T any](m *Memory, fill func(object *[64]byte) T) bool {
	var gone, witness atomic.Bool
	s := Slice[T](m, 2*least) // so many would be mapped
	var grown []T
	func() {
		object := new([64]byte)
		runtime.AddCleanup(object, func(int) { gone.Store(true) }, 0)
		runtime.AddCleanup(new([64]byte), func(int) { witness.Store(true) }, 0)
		s[len(s)-1] = fill(object)
		for range least {
			grown = Append(m, grown, s[len(s)-1])
		}
		clear(s)
	}()
	for !witness.Load() { // nothing leads to the other one
		runtime.GC()
	}
	runtime.KeepAlive(grown)
	return gone.Load()
}

func TestTheCollectorSeesWhatValuesPointTo(t *testing.T) {
	type inner struct {
		number int
		list   []byte
	}
	var m Memory
	defer m.Free()
	for name, gone := range map[string]bool{
		"a pointer":    collected(&m, func(o *[64]byte) *[64]byte { return o }),
		"a slice":      collected(&m, func(o *[64]byte) []byte { return o[:] }),
		"a string":     collected(&m, func(o *[64]byte) string { return unsafe.String(&o[0], len(o)) }),
		"an interface": collected(&m, func(o *[64]byte) any { return o }),
		"a function":   collected(&m, func(o *[64]byte) func() byte { return func() byte { return o[0] } }),
		"a map":        collected(&m, func(o *[64]byte) map[int]*[64]byte { return map[int]*[64]byte{1: o} }),
		"a channel":    collected(&m, func(o *[64]byte) chan *[64]byte { c := make(chan *[64]byte, 1); c <- o; return c }),
		"unsafe":       collected(&m, func(o *[64]byte) unsafe.Pointer { return unsafe.Pointer(o) }),
		"in a struct":  collected(&m, func(o *[64]byte) inner { return inner{1, o[:]} }),
		"in an array":  collected(&m, func(o *[64]byte) [2]inner { return [2]inner{1: {1, o[:]}} }),
	} {
		if gone {
			t.Errorf("%s: the object was collected", name)
		}
	}
}

func TestValuesWithoutPointersAreMapped(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("scratch memory is mapped on Linux only")
	}
	type plain struct {
		_ uint8
		_ [3]struct{ x, y float64 }
		_ bool
		_ [0]*int
	}
	var m Memory
	defer m.Free()
	before, _ := Held()
	s := Slice[plain](&m, least)
	if now, _ := Held(); now == before {
		t.Error("they lie in Go's heap")
	}
	ReleaseSlice(&m, s)
	type named struct{ _ string }
	_ = Append[named](&m, nil, named{})
	if got := Heaped(); !slices.Contains(got, "scratch.named") || slices.Contains(got, "scratch.plain") {
		t.Errorf("types with pointers: %q", got)
	}
}
