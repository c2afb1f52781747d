//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgo

// #include <stdlib.h>
// #include "allocators.h"
import "C"

import "unsafe"

// RealMalloc returns the address of the malloc behind the hooks and the file that it is in, "" if the loader does not know.
func RealMalloc() (address uint64, file string) {
	var name *C.char
	p := C.allocators_malloc(&name)
	return uint64(uintptr(p)), C.GoString(name)
}

// RealFunction finds a function of the allocator behind the hooks by its name; nil if there is none.
func RealFunction(name string) unsafe.Pointer {
	s := C.CString(name)
	defer C.free(unsafe.Pointer(s))
	return C.allocators_symbol(s)
}

// Brought is an allocator that a library brings along under names with a prefix.
type Brought struct {
	Prefix  string
	Mallctl unsafe.Pointer // jemalloc's; nil if the program has none with the prefix
	Hooked  bool           // its functions are in the program, and have hooks
}

// BroughtAllocators returns those that the program contains.
func BroughtAllocators() (all []Brought) {
	var found C.struct_brought_allocator
	for row := C.unsigned(0); C.allocators_brought(row, &found); row++ {
		b := Brought{Prefix: C.GoString(found.prefix), Mallctl: found.mallctl, Hooked: found.malloc != nil}
		if b.Mallctl != nil || b.Hooked {
			all = append(all, b)
		}
	}
	return all
}
