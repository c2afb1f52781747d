// Lifetimes: how long the freed blocks of a site lived, in a few classes.
#ifndef CGOHEAP_LIFETIMES_H
#define CGOHEAP_LIFETIMES_H

#include <stdbool.h>
#include <stdint.h>

#include "site.h"
#include "tally.h"
#include "weight.h"

#define REGION_LIFETIMES 6 // classes of lifetimes that are known

// The blocks that a site freed in a class other than its own. One tally for each measure.
struct lifetime {
	uint32_t next; // ref of the site's next record, 0 for none
	uint32_t class;
	struct tally freed[];
};

// The longest lifetime of each class, in nanoseconds. Longer and unknown lifetimes are of class REGION_LIFETIMES.
extern const uint64_t cgoheap_lifetimes[REGION_LIFETIMES];

// The class of a lifetime in ticks.
uint32_t lifetime_class(uint64_t ticks);

// Records that blocks of the site were freed after a lifetime of this class.
void lifetimes_add(struct site *s, uint32_t parity, uint32_t class, struct weight w);

// The sum of what was freed in all classes until now, in a measure that the site counts.
uint64_t lifetimes_sum(const struct site *s, enum measure m);

// Settles the tallies of a parity that no recorder writes any more.
void lifetimes_settle(struct site *s, uint32_t parity);

#endif
