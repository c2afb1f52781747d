package victim

// #include "victim.h"
import "C"

import (
	"syscall"
	"unsafe"
)

// A Way is a function of the malloc family that allocates, and the site that calls it.
type Way struct {
	Name, Site string
	Alignment  uintptr // of its blocks
	number     C.uint
}

// Ways returns all functions that allocate. Functions with an alignment parameter get 512, and sizes need not be multiples
// of it.
func Ways() []Way {
	var all []Way
	for n := C.uint(0); ; n++ {
		way := C.victim_way(n)
		if way.name == nil {
			return all
		}
		all = append(all, Way{C.GoString(way.name), C.GoString(way.site), uintptr(way.alignment), n})
	}
}

// Allocate allocates size bytes while errno is before, and returns what errno was after it.
func (w Way) Allocate(size uintptr, before syscall.Errno) (block unsafe.Pointer, after syscall.Errno) {
	outcome := C.victim_allocate(w.number, C.size_t(size), C.int(before))
	return outcome.block, syscall.Errno(outcome.error)
}

// A Release is a function of the malloc family that frees.
type Release struct {
	Name   string
	number C.uint
}

// Releases returns all functions that free.
func Releases() []Release {
	var all []Release
	for n := C.uint(0); ; n++ {
		name := C.victim_release_name(n)
		if name == nil {
			return all
		}
		all = append(all, Release{C.GoString(name), n})
	}
}

// Free frees a block of size bytes while errno is before, and returns what errno was after it.
func (r Release) Free(block unsafe.Pointer, size uintptr, before syscall.Errno) (after syscall.Errno) {
	return syscall.Errno(C.victim_release(r.number, block, C.size_t(size), C.int(before)))
}

// Resident returns how many bytes of a block, in whole pages, are in memory.
func Resident(block unsafe.Pointer, size uintptr) uintptr {
	return uintptr(C.victim_resident(block, C.size_t(size)))
}

// MallocPastHooks allocates with libc's malloc, whatever hooks it. It returns nil if that malloc has no other name.
func MallocPastHooks(size uintptr) unsafe.Pointer { return C.victim_past_hooks(C.size_t(size)) }

// FreePastHooks frees with libc's free, whatever hooks it. It returns false if that free has no other name.
func FreePastHooks(block unsafe.Pointer) bool { return C.victim_free_past_hooks(block) == 0 }

// FunctionAt returns the C function that an address is in; "" if its name is not known here. Known are the sites that run on
// threads of their own, and what libraries export.
func FunctionAt(address uint64) string {
	return C.GoString(C.victim_function_at(C.uintptr_t(address)))
}
