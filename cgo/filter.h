// The filter: which frees may be of sampled blocks. See filter.c.
#ifndef CGOHEAP_FILTER_H
#define CGOHEAP_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "region.h"

#define FILTER_GRANULE_BITS 8

// Values of counters that do not count: the granule may hold blocks. A stuck counter stays as it is. One that is being
// recounted becomes stuck again at the first change in its granule.
#define FILTER_STUCK 255
#define FILTER_RECOUNTED 254

static inline uint64_t filter_index(uintptr_t p)
{
	return (p >> FILTER_GRANULE_BITS) % REGION_FILTER_SLOTS;
}

// The filter's counter for the granule that p lies in.
static inline uint8_t *filter_slot(uintptr_t p)
{
	return (uint8_t *)region_at(REGION_FILTER) + filter_index(p);
}

// Changes the counter of p's granule, which is not stuck, by n.
void filter_change(uintptr_t p, int n);

// Counts a block at p: n is 1, before the table has the block, or -1, before the table loses it.
static inline void filter_add(uintptr_t p, int n)
{
	if (__atomic_load_n(filter_slot(p), __ATOMIC_RELAXED) != FILTER_STUCK)
		filter_change(p, n);
}

// To recount stuck counters, call filter_mark, then gate_settle, then filter_recount, which does nothing unless the
// settle was complete. One caller at a time. filter_mark returns false if there is nothing to do; then the other calls
// are not needed. count_blocks is live_count.
bool filter_mark(void);
void filter_recount(bool settled, void (*count_blocks)(uint8_t *counts));

#endif
