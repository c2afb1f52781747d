// Sites: a stack, a block size and a set of labels, with the weights allocated and freed there.
#ifndef CGOHEAP_SITES_H
#define CGOHEAP_SITES_H

#include <stdint.h>

#include "region.h"
#include "weight.h"

// Ref of the site of (stack, size, labels), made if need be; 0 when the region is full. Labels are a ref of labels.h or 0.
uint32_t site_intern(uint32_t stack, uint64_t size, uint32_t labels);

void site_add(uint32_t site, uint32_t parity, struct weight w);
void site_subtract(uint32_t site, uint32_t parity, struct weight w);

// Moves what was counted in a delta that nobody writes any more to its base.
static inline void delta_move(uint64_t *base, uint64_t *delta)
{
	__atomic_store_n(base, *base + __atomic_exchange_n(delta, 0, __ATOMIC_ACQUIRE), __ATOMIC_RELAXED);
}

// Adds the deltas of a parity that nobody writes any more to the bases.
void sites_fold(uint32_t parity);

#endif
