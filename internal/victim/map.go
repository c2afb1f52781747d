package victim

// #include "victim.h"
import "C"

import (
	"errors"
	"unsafe"
)

// Map maps length bytes with mmap, private or shared; at an address if it is not nil, whatever was there.
func Map(at unsafe.Pointer, length uintptr, shared bool) unsafe.Pointer {
	var flag C.int
	if shared {
		flag = 1
	}
	return C.victim_map(at, C.size_t(length), flag)
}

// MapFile maps the first bytes of the program's file.
func MapFile(length uintptr) unsafe.Pointer { return C.victim_map_file(C.size_t(length)) }

// Unmap unmaps with munmap.
func Unmap(at unsafe.Pointer, length uintptr) error {
	_, err := C.victim_unmap(at, C.size_t(length))
	return err
}

// Remap makes what is mapped another length with mremap, perhaps at another place.
func Remap(at unsafe.Pointer, length, toLength uintptr) unsafe.Pointer {
	return C.victim_remap(at, C.size_t(length), C.size_t(toLength))
}

// Extend makes the program's data segment larger with sbrk. It returns the old end; nil if that fails.
func Extend(length uintptr) unsafe.Pointer { return C.victim_extend(C.size_t(length)) }

// Attach attaches a System V segment with shmat.
func Attach(segment int) unsafe.Pointer { return C.victim_attach(C.int(segment)) }

// AttachOver attaches a segment with shmat at an address, whatever was there.
func AttachOver(segment int, at unsafe.Pointer) unsafe.Pointer {
	return C.victim_attach_over(C.int(segment), at)
}

// Detach detaches it with shmdt.
func Detach(at unsafe.Pointer) error {
	_, err := C.victim_detach(at)
	return err
}

// MapOnThreads has threads map and unmap so many times.
func MapOnThreads(threads, times int) error {
	if C.victim_map_on_threads(C.int(threads), C.int(times)) != 0 {
		return errors.New("a thread could not be started, or not map")
	}
	return nil
}

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
