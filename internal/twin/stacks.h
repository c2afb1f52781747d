// What is in use of threads' stacks at the instant.
#ifndef CGOHEAP_TWIN_STACKS_H
#define CGOHEAP_TWIN_STACKS_H

#include <stdint.h>

#include "chunks.h"
#include "go.h"

// A thread's stack. Memory below from holds nothing.
struct twin_stack {
	uint64_t start, limit;
	uint64_t from; // TWIN_ON_GOROUTINE, or in the stack
};

// The thread was on a goroutine's stack: it left its own where Go's runtime has noted it.
#define TWIN_ON_GOROUTINE 1

// Sets from of each stack: as it is told, for the thread that has sp on it to sp, and to start where it is not known.
void twin_stacks_resolve(struct twin_stack *stacks, uint64_t count, const struct twin_go *go, const struct twin_heaps *memory, uint64_t sp);

#endif
