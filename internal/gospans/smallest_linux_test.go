package gospans

import (
	"runtime"
	"testing"
	"unsafe"
)

//go:noinline
func addressOfNew[T any]() (uint64, *T) {
	made := new(T)
	return uint64(uintptr(unsafe.Pointer(made))), made
}

// Of objects without pointers, Go has several in one place if they are so small; of others, one.
func TestTheSmallestObjectsAreKnown(t *testing.T) {
	l, err := Find()
	if err != nil {
		t.Fatal(err)
	}
	one, a := addressOfNew[[1]uintptr]()
	two, b := addressOfNew[[2]uintptr]() // in the same kind of place, though it fills it
	three, c := addressOfNew[[3]uintptr]()
	pointer, d := addressOfNew[*byte]()
	pointers, e := addressOfNew[[2]*byte]()
	for i, at := range []uint64{one, one + 8, two, three, pointer, pointers, uint64(uintptr(unsafe.Pointer(&once))), 8} {
		if got, want := l.HasSmallest(at), i < 3; got != want {
			t.Errorf("object %d: %t", i, got)
		}
	}
	for _, kept := range []any{a, b, c, d, e} {
		runtime.KeepAlive(kept)
	}
}
