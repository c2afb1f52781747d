//go:build linux && cgo

package victim

// #include "victim.h"
import "C"

import "unsafe"

// JIT is a page of code that was made at run time.
type JIT struct{ page unsafe.Pointer }

// NewJIT makes code at an address that nothing is mapped at, or anywhere for 0. The code keeps a frame pointer or leaves
// the register alone. False if there is no such place.
func NewJIT(at uint64, framePointer bool) (JIT, bool) {
	keeps := C.int(0)
	if framePointer {
		keeps = 1
	}
	page := C.victim_jit_make(C.uintptr_t(at), keeps)
	return JIT{page}, page != nil
}

// Malloc allocates size bytes in the code, which victim_jit_call calls.
func (j JIT) Malloc(size uintptr) unsafe.Pointer { return C.victim_jit_call(j.page, C.size_t(size)) }

// Holds says whether an address is in the code.
func (j JIT) Holds(address uint64) bool { return address-uint64(uintptr(j.page)) < 32 }

// Drop unmaps the code.
func (j JIT) Drop() { C.victim_jit_drop(j.page) }
