package victim

// #include <stdlib.h>
// #include "victim.h"
import "C"

import "unsafe"

// JIT is a page of code that was made at run time.
type JIT struct{ page unsafe.Pointer }

// NewJIT makes code at an address that nothing is mapped at, or anywhere for 0. The code keeps a frame pointer or leaves
// the register alone. It returns false if that fails.
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

// Address returns where the code begins.
func (j JIT) Address() uint64 { return uint64(uintptr(j.page)) }

// Holds reports whether an address is in the code.
func (j JIT) Holds(address uint64) bool { return address-uint64(uintptr(j.page)) < 64 }

// NewJITChain makes code that takes its frame pointer as an argument: see MallocChain.
func NewJITChain() (JIT, bool) {
	page := C.victim_jit_copy()
	return JIT{page}, page != nil
}

// MallocChain allocates size bytes in the code of NewJITChain, which victim_made_chain calls.
func (j JIT) MallocChain(chain Chain, size uintptr) unsafe.Pointer {
	return C.victim_made_chain(j.page, uint32(chain), C.size_t(size))
}

// NewJITAround makes code that keeps a frame pointer and calls other code that NewJITAround made, or malloc for none.
func NewJITAround(inner JIT) (JIT, bool) {
	page := C.victim_jit_around(inner.page)
	return JIT{page}, page != nil
}

// MallocAround allocates size bytes in the code of NewJITAround, which victim_jit_call_around calls.
func (j JIT) MallocAround(size uintptr) unsafe.Pointer {
	return C.victim_jit_call_around(j.page, C.size_t(size))
}

// Drop unmaps the code.
func (j JIT) Drop() { C.victim_jit_drop(j.page) }
