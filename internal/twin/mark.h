// What points to which block: from the words of the program's own memory, through one block after the other.
#ifndef CGOHEAP_TWIN_MARK_H
#define CGOHEAP_TWIN_MARK_H

#include <stdbool.h>

#include "nodes.h"
#include "task.h"

// Fills in what was found of the task's blocks, and what was looked at. sp is where the stack of the thread begins that made the
// twin. False if there was no memory, or the mappings could not be read; the task's phase says which.
bool twin_mark(struct twin_task *task, const struct twin_maps *maps, const struct twin_heaps *heaps, struct twin_nodes *nodes, uint64_t sp);

#endif
