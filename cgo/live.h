// The live table: address of a sampled block → its record.
#ifndef CGOHEAP_LIVE_H
#define CGOHEAP_LIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "region.h"

#define FILTER_GRANULE_BITS 8

// The filter's counter for the granule that p lies in.
static inline uint8_t *filter_slot(uintptr_t p)
{
	return (uint8_t *)region_at(REGION_FILTER) + (p >> FILTER_GRANULE_BITS) % REGION_FILTER_SLOTS;
}

// Whether a block at p may be in the table: false means it is not. Four instructions of free.
static inline bool live_maybe(const void *p)
{
	return __atomic_load_n(filter_slot((uintptr_t)p), __ATOMIC_RELAXED) != 0;
}

// Remembers a block that is not in the table. False when the region is full.
bool live_insert(const void *p, const struct block *b);

// Takes a block out of the table into *b. False if it is not there.
bool live_remove(const void *p, struct block *b);

#endif
