// The live table: address of a sampled block → its record.
#ifndef CGOHEAP_LIVE_H
#define CGOHEAP_LIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "region.h"

#define FILTER_PAGE_BITS 12

// Whether a block at p may be in the table: false means it is not. Three instructions of free.
static inline bool live_maybe(const void *p)
{
	uint32_t *filter = region_at(REGION_FILTER);
	uint64_t page = (uintptr_t)p >> FILTER_PAGE_BITS;
	return __atomic_load_n(&filter[page % REGION_FILTER_SLOTS], __ATOMIC_RELAXED) != 0;
}

// Remembers a block that is not in the table. False when the region is full.
bool live_insert(const void *p, const struct block *b);

// Takes a block out of the table into *b. False if it is not there.
bool live_remove(const void *p, struct block *b);

#endif
