// What a chain of words that leads to a block can begin with.
#ifndef CGOHEAP_TWIN_ROOT_H
#define CGOHEAP_TWIN_ROOT_H

#include <stdint.h>

enum twin_root {
	TWIN_ROOT_NONE,
	TWIN_ROOT_DATA,      // of a file: a global
	TWIN_ROOT_STACK,     // of a thread
	TWIN_ROOT_TLS,       // thread-local storage
	TWIN_ROOT_REGISTERS, // as saved at the moment of the copy
	TWIN_ROOT_GO_HEAP,   // an object of Go's
	TWIN_ROOT_GO_STACK,  // of a goroutine
	TWIN_ROOT_MAPPING,   // other memory that was mapped
	TWIN_ROOT_EPOLL,     // what the kernel keeps for the program with a descriptor that it watches
	TWIN_ROOT_UNKNOWN,   // nobody looked: at that moment, malloc had no block in use there
	TWIN_ROOT_FINALIZER, // an object of Go's that only a finalizer or cleanup keeps, which has not run yet
	TWIN_ROOT_CYCLE,     // the same, but that can never run, because it keeps its own object
	TWIN_ROOT_GO_OTHER,  // memory of Go's runtime, or other memory, and nothing before
	TWIN_ROOT_GARBAGE,   // an object of Go's that nothing was found to keep
};

// Beside one of these: the chain leads from it through Go's heap.
#define TWIN_ROOT_IN_GO 0x40U

// Beside TWIN_ROOT_GO_HEAP: it begins in one of Go's smallest objects, which Go keeps as long as any other in the same place.
#define TWIN_ROOT_SMALLEST 0x20U

// What a chain begins in, in one word: the address of its first word, and its root.
#define TWIN_ROOT_BITS 56 // where the root is
#define TWIN_ADDRESS ((1ULL << 48) - 1)

static inline uint64_t twin_from(uint32_t root, uint64_t word)
{
	return word | (uint64_t)root << TWIN_ROOT_BITS;
}

#endif
