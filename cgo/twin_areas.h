// The memory of the program's own that may hold pointers: its variables, and what it mapped itself.
#ifndef CGOHEAP_TWIN_AREAS_H
#define CGOHEAP_TWIN_AREAS_H

#include <stdbool.h>
#include <stdint.h>

#include "twin_task.h"
#include "twin_maps.h"
#include "twin_nodes.h"

typedef void twin_run(void *arg, uint64_t start, uint64_t limit);

// What a run of pages must be, by the kernel's pagemap.
enum twin_touched {
	TWIN_WRITTEN, // of private memory: no longer what a file has
	TWIN_THERE,   // in memory, or swapped out
};

struct twin_pagemap {
	int file;
	uint64_t page; // bytes of a page of the kernel's
};

// Visits the runs of such pages. False if the pagemap could not be read.
bool twin_runs(const struct twin_pagemap *map, uint64_t start, uint64_t limit, enum twin_touched touched, twin_run *run, void *arg);

// Memory that is looked at as something else, or not at all. Ascending, without overlap.
struct twin_apart {
	struct twin_range *ranges;
	uint64_t count, taken; // taken: bytes mapped for it
};

// Gathers them: what the task says, stacks, and the memory of blocks. False if there is no memory.
bool twin_apart_find(struct twin_apart *a, const struct twin_task *task, const struct twin_maps *maps, const struct twin_heaps *heaps, const struct twin_nodes *nodes);

// Visits memory that is left. Of what only the loader may write, such as tables of functions, nothing is. kind is TWIN_ROOT_DATA or TWIN_ROOT_MAPPING; private memory goes to run, what is shared to shared, because the
// twin's tables do not have its pages and a file may be shorter than its mapping. False if a list of the kernel's could not be read.
bool twin_areas(const struct twin_task *task, const struct twin_maps *maps, const struct twin_apart *apart, enum twin_root kind, twin_run *run, twin_run *shared, void *arg);

#endif
