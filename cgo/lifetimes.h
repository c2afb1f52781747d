// Lifetimes: how long the blocks of a site lived that were freed, in a few classes.
#ifndef CGOHEAP_LIFETIMES_H
#define CGOHEAP_LIFETIMES_H

#include <stdbool.h>
#include <stdint.h>

#include "region.h"
#include "weight.h"

// The longest lifetime of each class, in nanoseconds; longer ones are not kept.
extern const uint64_t cgoheap_lifetimes[REGION_LIFETIMES];

// A block of the site was freed that had lived for so many ticks. False if that is in no class, or there is no room.
bool lifetimes_add(struct site *s, uint32_t parity, uint64_t ticks, struct weight w);

// What was freed in all classes until now, of a measure that the site counts.
uint64_t lifetimes_sum(const struct site *s, enum measure m);

// Settles the tallies of a parity that nobody writes any more.
void lifetimes_settle(struct site *s, uint32_t parity);

#endif
