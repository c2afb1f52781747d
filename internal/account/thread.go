package account

// Thread is a running thread.
type Thread struct {
	Number  int
	Stack   Range         // what libc mapped for it: guard, stack, thread-local storage and control block; of the main thread empty
	Control uint64        // the address of its control block
	Storage []ThreadLocal // ascending; empty if unknown
}

// ThreadLocal is the thread-local storage that a thread has for one file. It lies at the end of what libc mapped for the thread, or
// in a block of the allocator, if the file was loaded later.
type ThreadLocal struct {
	Range
	Bias uint64 // of the file: runtime address − ELF address
}
