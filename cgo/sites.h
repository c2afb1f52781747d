// Sites: a stack, a block size and a set of labels, with the weights allocated and freed there.
#ifndef CGOHEAP_SITES_H
#define CGOHEAP_SITES_H

#include <stdint.h>

#include "lifetimes.h"
#include "region.h"
#include "site.h"
#include "trie.h"
#include "weight.h"

// If a stack allocates more sizes than this (a growing vector, strings), or as many under different labels, the rest
// goes to one site without a size for each set of labels, so that sizes cannot fill the region.
#define SIZES_PER_STACK 16

// The sites of a stack with as many sizes as it may have, for a search that reads neither its lists nor sites of other
// sizes. The lists stay, for readers of the region.
struct size_table {
	uint32_t tags[SIZES_PER_STACK]; // of the sites' hashes
	uint32_t sites[SIZES_PER_STACK]; // refs
};

// Returns the ref of the site of (stack, size, labels, where the blocks of the thread's kind lie); makes it if needed. 0 when the region is full. Labels are a ref
// of labels.h or 0; slot is the caller's at the gate.
uint32_t site_intern(uint32_t stack, uint64_t size, uint32_t labels, uint32_t slot);

static inline void site_add(struct site *s, uint32_t parity, struct weight w)
{
	for (int m = 0; m < site_measures(s); m++)
		tally_add(&s->flow[m].allocated, parity, w.of[m]);
}

// Records that blocks of the site were freed, or had been recorded in error.
static inline void site_subtract(struct site *s, uint32_t parity, struct weight w)
{
	lifetimes_add(s, parity, REGION_LIFETIMES, w);
}

// Records that a block of the site was freed after living for the given ticks.
static inline void site_free(struct site *s, uint32_t parity, uint64_t ticks, struct weight w)
{
	lifetimes_add(s, parity, lifetime_class(ticks), w);
}

// Returns the amount in use at the site, in a measure that it counts. Approximate while recorders change it.
uint64_t site_in_use(const struct site *s, enum measure m);

// Visits every site.
void sites_each(trie_visit *visit, const void *argument);

// Settles the tallies of a parity that no recorder writes any more.
void sites_settle(uint32_t parity);

#endif
