// The memory of the program's own that may hold pointers: its variables, and what it mapped itself.
#ifndef CGOHEAP_TWIN_AREAS_H
#define CGOHEAP_TWIN_AREAS_H

#include <stdbool.h>
#include <stdint.h>

#include "maps.h"
#include "nodes.h"
#include "task.h"

typedef void twin_run(void *arg, uint64_t start, uint64_t limit);

// What a run of pages must be, by the kernel's pagemap.
enum twin_touched {
	TWIN_WRITTEN, // in memory, and no longer what a file has; of private memory
	TWIN_THERE,   // in memory
	TWIN_SHARED,  // in memory, of this process's or of the file's: only the kernel knows pages that nobody has mapped now
	TWIN_SWAPPED, // swapped out, or a guard that looks like that to older kernels: a load may fault
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

// Memory that may be read, ascending.
struct twin_readable {
	struct twin_range *ranges;
	uint64_t count, taken; // taken: bytes mapped for it
};

// False if there is no memory, or the list is not understood.
bool twin_readable_find(struct twin_readable *r, const struct twin_maps *maps);

// The range around an address, or an empty one.
struct twin_range twin_readable_around(const struct twin_readable *r, uint64_t address);

// Visits what may be read of a range.
void twin_readable_each(const struct twin_readable *r, uint64_t start, uint64_t limit, twin_run *run, void *arg);

// Loads from each page of private memory that is there. A copy's page tables are new: at the first load from a page, the processor walks
// them and notes there that the page was used, which takes as long as all other loads from it. If nothing else is done meanwhile, many
// such walks go on at once. False if a list of the kernel's could not be read.
bool twin_areas_touch(const struct twin_task *task, const struct twin_maps *maps);

// Visits memory that is left. kind is TWIN_ROOT_DATA or TWIN_ROOT_MAPPING; private memory goes to run, what is shared to copied, because the
// twin's tables do not have its pages and a file may be shorter than its mapping, and so does what is swapped out. False if a list
// of the kernel's could not be read.
bool twin_areas(const struct twin_task *task, const struct twin_maps *maps, const struct twin_apart *apart, enum twin_root kind,
		twin_run *run, twin_run *copied, void *arg);

#endif
