// Chains of interned records: those with one head, each with the ref of the next in its first word. Records are linked
// once and stay.
#ifndef CGOHEAP_CHAIN_H
#define CGOHEAP_CHAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "region.h"

// Whether a record has this content.
typedef bool chain_same(const void *record, const void *content);

// The ref of the record with the content on the chain from ref up to, not including, until; 0 if there is none.
static inline uint32_t chain_find(uint32_t ref, uint32_t until, chain_same *same, const void *content)
{
	while (ref != until) {
		const uint32_t *record = region_ref(ref);
		if (same(record, content))
			return ref;
		ref = *record;
	}
	return 0;
}

// Links made, which has the content, before head, seen when the chain was searched. If another thread linked its like
// first, that one serves, and made stays unused.
static inline uint32_t chain_link(uint32_t *head, uint32_t seen, uint32_t made, chain_same *same, const void *content)
{
	for (;;) {
		uint32_t first = seen;
		*(uint32_t *)region_ref(made) = first;
		if (__atomic_compare_exchange_n(head, &seen, made, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			return made;
		uint32_t other = chain_find(seen, first, same, content);
		if (other != 0)
			return other;
	}
}

#endif
