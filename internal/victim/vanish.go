package victim

// #include "victim.h"
import "C"

import "unsafe"

// A Vanish is the position of a page that is unmapped as soon as the kernel is asked about it.
type Vanish uint32

// All of them.
const (
	VanishAboveStack Vanish = C.VICTIM_VANISH_ABOVE_STACK // just above the thread's own stack
	VanishAboveFiber Vanish = C.VICTIM_VANISH_ABOVE_FIBER // just above the stack of a fiber
	VanishBelowStack Vanish = C.VICTIM_VANISH_BELOW_STACK // between a fiber's stack and the thread's own above it
	VanishG          Vanish = C.VICTIM_VANISH_G           // where a call from Go seems to have saved g
	VanishOfG        Vanish = C.VICTIM_VANISH_OF_G        // where a g that is none, but leads to an m and back, has its stack
)

// VanishingPage allocates size bytes and frees them, on a thread of its own, in code without unwind data whose frame pointer
// leads to such a page. inAsmcgocall is where a call from Go returns to. It returns how often the kernel was asked.
func VanishingPage(kind Vanish, size, inAsmcgocall uintptr) (asked int, err error) {
	var count C.uint
	err = asError(C.victim_vanish(uint32(kind), C.size_t(size), C.uintptr_t(inAsmcgocall), &count))
	return int(count), err
}

// VanishWhenAsked makes a page one that is unmapped as soon as the calling thread asks the kernel about it. The thread
// cannot be used for anything else afterwards.
func VanishWhenAsked(page unsafe.Pointer) error {
	return asError(C.victim_vanish_when_asked(page))
}
