package main

// #cgo CFLAGS: -O2 -g
// #include "guest.h"
import "C"

import (
	"runtime/cgo"
	"unsafe"
)

// OpenedSize is the size of the block that is allocated while the plugin is opened.
var OpenedSize = 4097

var opened = allocate(OpenedSize)

// Held is memory of Go's heap.
var Held = hold()

//go:noinline
func hold() [][]byte {
	list := make([][]byte, 64)
	for i := range list {
		list[i] = make([]byte, 1<<20)
	}
	return list
}

//go:noinline
func allocate(size int) unsafe.Pointer { return C.guest_malloc(C.size_t(size)) }

// Direct lets C allocate a block.
//
//go:noinline
func Direct(size int) unsafe.Pointer { return allocate(size) }

// Through lets C call visit, which allocates a block.
//
//go:noinline
func Through(size int, visit func(size int) unsafe.Pointer) unsafe.Pointer {
	handle := cgo.NewHandle(visit)
	defer handle.Delete()
	return C.guest_calls_go(C.uintptr_t(handle), C.size_t(size))
}

//export guestVisit
func guestVisit(visit C.uintptr_t, size C.size_t) unsafe.Pointer {
	return cgo.Handle(visit).Value().(func(int) unsafe.Pointer)(int(size))
}

func main() {}
