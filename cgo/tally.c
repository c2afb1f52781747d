//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

// Sums that wrap.
//
// The words of a tally hold 2^48 objects, or 2^60 bytes: what one site of a program at full speed allocates in weeks. Few
// words ever wrap, and no site has room for a second word of each sum. So the header lists the words that wrapped, and
// how often. Exactly one thread sees a wrap: the one whose addition caused it, by the word's old value.
#include "tally.h"

#include <stddef.h>

#include "region.h"

static struct carry *find(uint64_t word)
{
	for (int i = 0; i < REGION_CARRIES; i++) {
		struct carry *c = &cgoheap_region->carries[i];
		uint64_t is = __atomic_load_n(&c->word, __ATOMIC_RELAXED);
		if (is == 0 && __atomic_compare_exchange_n(&c->word, &is, word, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			return c;
		if (is == word)
			return c;
	}
	return NULL;
}

void tally_carry(const uint64_t *word)
{
	struct carry *c = find((const char *)word - (const char *)cgoheap_region);
	if (c != NULL)
		__atomic_fetch_add(&c->running, 1, __ATOMIC_RELEASE);
	else
		count(COUNT_LOST_CARRY);
}

// A tally begins at an even word, with the word of parity 0.
void carries_settle(uint32_t parity)
{
	for (int i = 0; i < REGION_CARRIES; i++) {
		struct carry *c = &cgoheap_region->carries[i];
		if ((__atomic_load_n(&c->word, __ATOMIC_RELAXED) / 8 & 1) == parity)
			__atomic_store_n(&c->settled, __atomic_load_n(&c->running, __ATOMIC_ACQUIRE), __ATOMIC_RELAXED);
	}
}
