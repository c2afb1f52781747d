package victim

/*
#cgo CFLAGS: -Wall -O2 -fomit-frame-pointer
#cgo CXXFLAGS: -Wall -O2 -fomit-frame-pointer
#cgo LDFLAGS: -lpthread -ldl
#include <stdlib.h>
#include "victim.h"
*/
import "C"

import (
	"errors"
	"syscall"
	"unsafe"
)

// Malloc allocates size bytes with malloc.
func Malloc(size uintptr) unsafe.Pointer { return C.victim_malloc(C.size_t(size)) }

// Calloc allocates count·size bytes with calloc.
func Calloc(count, size uintptr) unsafe.Pointer {
	return C.victim_calloc(C.size_t(count), C.size_t(size))
}

// Realloc makes block size bytes large with realloc: nil when that fails, and then block is as it was; for size 0 block is
// freed and nil returned, as glibc has it.
func Realloc(block unsafe.Pointer, size uintptr) unsafe.Pointer {
	return C.victim_realloc(block, C.size_t(size))
}

// Reallocarray makes block count·size bytes large with reallocarray, and like it fails on overflow.
func Reallocarray(block unsafe.Pointer, count, size uintptr) unsafe.Pointer {
	return C.victim_reallocarray(block, C.size_t(count), C.size_t(size))
}

// CallocErrno is Calloc and the errno that it set, 0 if none.
func CallocErrno(count, size uintptr) (unsafe.Pointer, syscall.Errno) {
	block, err := C.victim_calloc(C.size_t(count), C.size_t(size))
	return block, asErrno(err)
}

// ReallocarrayErrno is Reallocarray and the errno that it set.
func ReallocarrayErrno(block unsafe.Pointer, count, size uintptr) (unsafe.Pointer, syscall.Errno) {
	moved, err := C.victim_reallocarray(block, C.size_t(count), C.size_t(size))
	return moved, asErrno(err)
}

// asErrno returns the errno in the error that cgo returned.
func asErrno(err error) (errno syscall.Errno) {
	errors.As(err, &errno)
	return errno
}

// PosixMemalign allocates size bytes with posix_memalign.
func PosixMemalign(alignment, size uintptr) unsafe.Pointer {
	return C.victim_posix_memalign(C.size_t(alignment), C.size_t(size))
}

// AlignedAlloc allocates size bytes with aligned_alloc.
func AlignedAlloc(alignment, size uintptr) unsafe.Pointer {
	return C.victim_aligned_alloc(C.size_t(alignment), C.size_t(size))
}

// Memalign allocates size bytes with memalign.
func Memalign(alignment, size uintptr) unsafe.Pointer {
	return C.victim_memalign(C.size_t(alignment), C.size_t(size))
}

// Valloc allocates size bytes with valloc.
func Valloc(size uintptr) unsafe.Pointer { return C.victim_valloc(C.size_t(size)) }

// Pvalloc allocates size bytes with pvalloc, which may round size up to whole pages.
func Pvalloc(size uintptr) unsafe.Pointer { return C.victim_pvalloc(C.size_t(size)) }

// Free frees a block, or does nothing with nil.
func Free(block unsafe.Pointer) { C.victim_free(block) }

// MallocList allocates count blocks of size bytes, at least 8, with malloc, each holding the address of the next.
func MallocList(count, size uintptr) unsafe.Pointer {
	return C.victim_malloc_list(C.size_t(count), C.size_t(size))
}

// FreeList frees the blocks of a list.
func FreeList(list unsafe.Pointer) { C.victim_free_list(list) }
