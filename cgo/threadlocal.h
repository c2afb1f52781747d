// Lists the thread-local storage of loaded files, as the calling thread has it. Takes the loader's locks: not for the hooks.
#ifndef CGOHEAP_THREADLOCAL_H
#define CGOHEAP_THREADLOCAL_H

#include <stddef.h>
#include <stdint.h>

// The thread-local storage of one file.
struct threadlocal {
	uintptr_t bias;   // the file's: runtime address - ELF address
	uintptr_t module; // the number by which each thread's vector (dtv) has it
	uintptr_t start;  // of the calling thread's; 0 if it has none yet
	size_t size;
};

// The calling thread, at the time of the list.
struct threadlocal_here {
	uintptr_t self;    // its control block
	uintptr_t pointer; // its thread pointer, from which the position of its vector counts
	uintptr_t keys;    // where the first values of pthread keys lie in the control block, 16 bytes each; 0 if unknown
};

// Fills in what the loaded files have, and returns how many there are, which may be more than max.
size_t threadlocal_list(struct threadlocal *list, size_t max, struct threadlocal_here *here);

#endif
