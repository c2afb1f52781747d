package victim

// #cgo noescape victim_nocallback
// #cgo nocallback victim_nocallback
// #include "victim.h"
import "C"

import "unsafe"

// NeverReturns allocates size bytes in victim_flies_home, which jumps over its callers: victim_ends_with_a_call, which ends
// there, and victim_never_returns, where it lands.
func NeverReturns(size uintptr) unsafe.Pointer { return C.victim_never_returns(C.size_t(size)) }

// Longjmp allocates size bytes in victim_flies_home below depth + 1 frames of victim_jumps, jumps over them, and
// allocates size + 1 bytes in victim_longjmp, where it lands.
func Longjmp(depth int, size uintptr) (before, after unsafe.Pointer) {
	pair := C.victim_longjmp(C.uint(depth), C.size_t(size))
	return pair.first, pair.second
}

// Fiber allocates size bytes in victim_fiber_body on a stack of its own, leaves that stack and allocates size + 1 bytes in
// victim_fiber, goes back and allocates size + 2 bytes in victim_fiber_body. It returns nil if libc has no swapcontext.
func Fiber(size uintptr) (blocks [3]unsafe.Pointer) {
	C.victim_fiber(C.size_t(size), &blocks[0])
	return blocks
}

// NoCallback allocates size bytes in a C function that is declared never to call Go.
func NoCallback(size uintptr) unsafe.Pointer { return C.victim_nocallback(C.size_t(size)) }
