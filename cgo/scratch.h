// What a hook needs that is too large for the program's stack: coroutines, signal handlers and small threads may call malloc. Each
// slot of the gate has its own. It takes memory only once it is used, and is not in the region, whose pages may be a file's.
#ifndef CGOHEAP_SCRATCH_H
#define CGOHEAP_SCRATCH_H

#include <stddef.h>

#include "labels.h"
#include "memory.h"
#include "room.h"
#include "walk.h"

#define SCRATCH_FRAMES 512

struct scratch {
	_Alignas(4096) struct walk walk;
	struct copy copy;
	uint64_t frames[SCRATCH_FRAMES];
	char labels[LABELS_BYTES];
	struct room room;
};

extern struct scratch *cgoheap_scratches __attribute__((visibility("hidden"))); // one for each slot

static inline struct scratch *scratch_of(uint32_t slot)
{
	return &cgoheap_scratches[slot];
}

// Maps it, unless that was done. False, and errno, if there is no room. Before the first recording.
bool scratch_prepare(void);

// Returns its memory to the kernel, when nobody is inside the gate.
void scratch_clear(void);

// All of it, in bytes.
size_t scratch_bytes(void);

#endif
