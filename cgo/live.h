// The live table: address of a sampled block → its record.
#ifndef CGOHEAP_LIVE_H
#define CGOHEAP_LIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "filter.h"
#include "region.h"

// Whether a block at p may be in the table: false means it is not. Four instructions of free.
static inline bool live_maybe(const void *p)
{
	return __atomic_load_n(filter_slot((uintptr_t)p), __ATOMIC_RELAXED) != 0;
}

// Asks the processor for what the next look for p is likely to read. It never faults.
void live_prefetch(const void *p);

// Remembers a block that is not in the table. False when the region is full.
bool live_insert(const void *p, const struct block *b);

// Takes a block out of the table into *b. False if it is not there.
bool live_remove(const void *p, struct block *b);

// Adds 1 to counts[filter_index(p)] for each block p in the table; counts stop at UINT8_MAX.
void live_count(uint8_t *counts);

// Marks the record of a block that is being freed, or takes the mark away, without the gate: until its real free nobody else
// has its address. False if it is not in the table, or if that changed nothing.
bool live_mark_lost(const void *p, bool lost);

#endif
