// What the twin is given and finds. Addresses and sizes are those of the process; Go has the same structures.
#ifndef CGOHEAP_TWIN_FOUND_H
#define CGOHEAP_TWIN_FOUND_H

#include <stdint.h>

// What a chain of words that leads to a block can begin with.
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

struct twin_range {
	uint64_t start, limit;
};

// A recorded block that was in use before the clone. Lists of them ascend, and none overlaps another.
struct twin_block {
	uint64_t at, size;
};

// What was found for a recorded block.
struct twin_found {
	uint64_t holder;    // address of the word that was found first to point to it; 0: none was
	uint64_t root_word; // address of the word that the chain of pointers to it begins with; of a goroutine's stack, that of its g
	uint64_t pinned;    // bytes of free memory on its pages, shared equally among the blocks on each, in 1/256 byte
	uint64_t goroutine; // entry address of the goroutine whose stack root_word lies on; 0 if it is on none
	uint32_t through;   // 1 + index of the last recorded block before it on that chain; 0 if there is none
	uint32_t root;      // enum twin_root, of root_word
};

#endif
