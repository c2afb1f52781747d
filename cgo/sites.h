// Sites: a stack, a block size and a set of labels, with the weights allocated and freed there.
#ifndef CGOHEAP_SITES_H
#define CGOHEAP_SITES_H

#include <stdint.h>

#include "lifetimes.h"
#include "region.h"
#include "trie.h"
#include "weight.h"

// Who looks for a site: a place of the gate, in a tick of the clock.
struct visitor {
	uint32_t place, tick;
};

// Asks the processor for all of a site that will be written, instead of for one line after the other: atomic additions wait for
// each. It never faults.
static inline void site_prefetch(uint32_t ref)
{
	const char *at = region_ref(ref);
#pragma GCC unroll 4
	for (uint64_t line = 0; line < sizeof(struct site) + MEASURES * sizeof(struct flow); line += 64)
		__builtin_prefetch(at + line, 1);
}

// Ref of the visitor's site of (stack, size, labels), made if need be; 0 when the region is full. Labels are a ref of
// labels.h or 0.
uint32_t site_intern(uint32_t stack, uint64_t size, uint32_t labels, struct visitor by);

static inline void site_add(struct site *s, uint32_t parity, struct weight w)
{
	for (int m = 0; m < site_measures(s); m++)
		tally_add(&s->flow[m].allocated, parity, w.of[m]);
}

// Blocks of the site were freed, or turned out to be none.
static inline void site_subtract(struct site *s, uint32_t parity, struct weight w)
{
	lifetimes_add(s, parity, REGION_LIFETIMES, w);
}

// A block of the site was freed that had lived for so many ticks.
static inline void site_free(struct site *s, uint32_t parity, uint64_t ticks, struct weight w)
{
	lifetimes_add(s, parity, lifetime_class(ticks), w);
}

// What is in use at the site, of a measure that it counts. May be torn by what is under way.
uint64_t site_in_use(const struct site *s, enum measure m);

// Visits every site.
void sites_each(trie_visit *visit, const void *argument);

// Settles the tallies of a parity that nobody writes any more.
void sites_settle(uint32_t parity);

#endif
