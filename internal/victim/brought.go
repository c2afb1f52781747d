package victim

// #include "victim.h"
import "C"

import "unsafe"

// Brought are the functions of an allocator with the prefix je_ that allocate, by the names of the sites that call them. Those
// that resize take a block.
var Brought = map[string]func(block unsafe.Pointer, size uintptr) unsafe.Pointer{
	"victim_je_malloc":         func(p unsafe.Pointer, n uintptr) unsafe.Pointer { return C.victim_je_malloc(p, C.size_t(n)) },
	"victim_je_calloc":         func(p unsafe.Pointer, n uintptr) unsafe.Pointer { return C.victim_je_calloc(p, C.size_t(n)) },
	"victim_je_aligned_alloc":  func(p unsafe.Pointer, n uintptr) unsafe.Pointer { return C.victim_je_aligned_alloc(p, C.size_t(n)) },
	"victim_je_posix_memalign": func(p unsafe.Pointer, n uintptr) unsafe.Pointer { return C.victim_je_posix_memalign(p, C.size_t(n)) },
	"victim_je_mallocx":        func(p unsafe.Pointer, n uintptr) unsafe.Pointer { return C.victim_je_mallocx(p, C.size_t(n)) },
	"victim_je_realloc":        func(p unsafe.Pointer, n uintptr) unsafe.Pointer { return C.victim_je_realloc(p, C.size_t(n)) },
	"victim_je_rallocx":        func(p unsafe.Pointer, n uintptr) unsafe.Pointer { return C.victim_je_rallocx(p, C.size_t(n)) },
	"victim_je_xallocx":        func(p unsafe.Pointer, n uintptr) unsafe.Pointer { return C.victim_je_xallocx(p, C.size_t(n)) },
}

// BroughtFrees are its functions that free.
var BroughtFrees = []func(block unsafe.Pointer, size uintptr){
	func(p unsafe.Pointer, _ uintptr) { C.victim_je_free(p) },
	func(p unsafe.Pointer, _ uintptr) { C.victim_je_dallocx(p) },
	func(p unsafe.Pointer, n uintptr) { C.victim_je_sdallocx(p, C.size_t(n)) },
}
