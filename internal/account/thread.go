package account

// Thread is a running thread.
type Thread struct {
	Number  int
	Stack   Range         // what libc mapped for it: guard, stack, variables, control block; of the main thread empty
	Control uint64        // the address of its control block
	Keys    Range         // in the control block: the values of the first pthread keys, KeyBytes each; empty if unknown
	Storage []ThreadLocal // ascending; empty if unknown
}

// KeyBytes is how far the values of two pthread keys are apart.
const KeyBytes = 16

// ThreadLocal is the thread-local storage that a thread has for one file. It lies at the end of what libc mapped for the thread, or
// in a block of the allocator, if the file was loaded later.
type ThreadLocal struct {
	Range
	Bias uint64 // of the file: runtime address − ELF address
}
