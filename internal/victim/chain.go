package victim

// #include "victim.h"
import "C"

import "unsafe"

// A Chain is the value of the frame pointer in code that can be unwound only by frame pointer.
type Chain uint32

// All of them.
const (
	WholeChain    Chain = C.VICTIM_CHAIN_WHOLE    // as it should be
	OddChain      Chain = C.VICTIM_CHAIN_ODD      // not aligned
	UnmappedChain Chain = C.VICTIM_CHAIN_UNMAPPED // no memory
	ChainBelow    Chain = C.VICTIM_CHAIN_BELOW    // below the stack pointer
	ChainToData   Chain = C.VICTIM_CHAIN_DATA     // at a return address that is a small number
	ChainToStack  Chain = C.VICTIM_CHAIN_STACK    // at one that is in the stack
	ChainToStart  Chain = C.VICTIM_CHAIN_FUNCTION // at one that is where a function begins
	ChainToMiddle Chain = C.VICTIM_CHAIN_MIDDLE   // at one that is inside an instruction
	ChainToCode   Chain = C.VICTIM_CHAIN_CODE     // at one in the code itself, behind no call
	ChainToZero   Chain = C.VICTIM_CHAIN_ZERO     // at one that is zero
	FarChain      Chain = C.VICTIM_CHAIN_FAR      // further than any frame is large
)

// BrokenChain allocates size bytes in code without unwind data, which victim_broken_chain calls.
func BrokenChain(chain Chain, size uintptr) unsafe.Pointer {
	return C.victim_broken_chain(uint32(chain), C.size_t(size))
}

// WithoutUnwindData reports whether an address is in that code.
func WithoutUnwindData(address uint64) bool {
	return C.victim_in_code_without_cfi(C.uintptr_t(address)) != 0
}
