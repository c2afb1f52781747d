//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgo

// #include <stdint.h>
// #include "cgoheap.h"
//
// extern void cgoheap_go_allocated(void *p, size_t size, const char *kind, size_t kind_size);
// static void freed(uintptr_t p) { cgoheap_freed((void *)p); }
// static void pool(uintptr_t chunk) { cgoheap_pool((void *)chunk); }
// static void allocated(uintptr_t p, size_t size, const char *kind, size_t kind_size)
// {
// 	cgoheap_go_allocated((void *)p, size, kind, kind_size);
// }
import "C"

import "unsafe"

// Allocated records a block that the program made by itself; kind is "" for none.
func Allocated(p, size uintptr, kind string) {
	C.allocated(C.uintptr_t(p), C.size_t(size), (*C.char)(unsafe.Pointer(unsafe.StringData(kind))), C.size_t(len(kind)))
}

// Freed records that such a block is freed.
func Freed(p uintptr) { C.freed(C.uintptr_t(p)) }

// Pool takes a block out of use, because others are carved from it.
func Pool(chunk uintptr) { C.pool(C.uintptr_t(chunk)) }
