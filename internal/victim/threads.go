package victim

// #include "victim.h"
import "C"

import (
	"syscall"
	"unsafe"
)

// BriefThreads starts that many threads, some at a time, each of which allocates size bytes, frees them and ends.
func BriefThreads(count int, size uintptr) error {
	return asError(C.victim_brief_threads(C.uint(count), C.size_t(size)))
}

// asError returns the error for an errno that was returned.
func asError(errno C.int) error {
	if errno == 0 {
		return nil
	}
	return syscall.Errno(errno)
}

// Slots hold blocks that threads exchange. The zero Slots are empty.
type Slots struct{ slots C.struct_victim_slots }

// SlotCount is how many slots there are.
const SlotCount = C.VICTIM_SLOTS

// Exchange runs threads, at most 16, that each allocate count blocks of size bytes. A block goes to a random slot, and the
// thread frees the one that was there.
func (s *Slots) Exchange(threads, count int, size uintptr) error {
	return asError(C.victim_exchange(&s.slots, C.uint(threads), C.uint(count), C.size_t(size)))
}

// Clear frees the blocks in the slots and returns how many there were.
func (s *Slots) Clear() (blocks int) {
	for i, block := range s.slots.blocks {
		if block != nil {
			blocks++
		}
		Free(block)
		s.slots.blocks[i] = nil
	}
	return blocks
}

// MallocInTLSDestructor lets a thread allocate two blocks of size bytes while it is destroyed, and free the first.
func MallocInTLSDestructor(size uintptr) unsafe.Pointer {
	return C.victim_malloc_in_tls_destructor(C.size_t(size))
}

// NewInThreadLocal returns the same in the destructor of a thread_local object, in C++. For Delete.
func NewInThreadLocal(size uintptr) unsafe.Pointer {
	return C.victim_cxx_thread_local(C.size_t(size))
}

// Constructed returns a block of 100 bytes that was allocated before main, which the caller must free; nil at the second call.
func Constructed() unsafe.Pointer { return C.victim_constructed() }
