// What the twin is given and finds. Addresses and sizes are those of the process; Go has the same structures.
#ifndef CGOHEAP_TWIN_FOUND_H
#define CGOHEAP_TWIN_FOUND_H

#include <stdint.h>

#include "root.h"

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
