// Lifetimes: how long the blocks of a site lived that were freed, in a few classes.
#ifndef CGOHEAP_LIFETIMES_H
#define CGOHEAP_LIFETIMES_H

#include <stdbool.h>
#include <stdint.h>

#include "region.h"
#include "weight.h"

// The longest lifetime of each class, in nanoseconds; longer ones are of class REGION_LIFETIMES, as are those not known.
extern const uint64_t cgoheap_lifetimes[REGION_LIFETIMES];

// The class of a lifetime of so many ticks.
uint32_t lifetime_class(uint64_t ticks);

// A block of the site was freed after a lifetime of this class.
void lifetimes_add(struct site *s, uint32_t parity, uint32_t class, struct weight w);

// What was freed in all classes until now, of a measure that the site counts.
uint64_t lifetimes_sum(const struct site *s, enum measure m);

// Settles the tallies of a parity that nobody writes any more.
void lifetimes_settle(struct site *s, uint32_t parity);

#endif
