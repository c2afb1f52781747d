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
