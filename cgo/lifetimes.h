// Lifetimes: how long the blocks of a site lived that were freed, in a few classes.
#ifndef CGOHEAP_LIFETIMES_H
#define CGOHEAP_LIFETIMES_H

#include <stdint.h>

#include "region.h"
#include "weight.h"

// The longest lifetime of each class, in nanoseconds; longer ones are not kept.
extern const uint64_t cgoheap_lifetimes[REGION_LIFETIMES];

// A block of the site was freed that had lived for so many ticks.
void lifetime_add(struct site *s, uint32_t parity, uint32_t ticks, struct weight w);

// Adds the deltas of a parity that nobody writes any more to the base.
void lifetimes_fold(struct site *s, uint32_t parity);

#endif
