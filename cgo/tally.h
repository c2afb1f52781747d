// Sums that recorders add to and a reader cuts at a moment. What happens when one wraps is in tally.c.
#ifndef CGOHEAP_TALLY_H
#define CGOHEAP_TALLY_H

#include <stdint.h>

// A sum that recorders add to: in running, the word of their epoch's parity. gate_settle brings settled up to it, one
// parity at a time, when no recorder writes that one any more; the sum at the last cut is the sum of the two settled
// words, plus 2^64 for each time that one of them wrapped.
struct tally {
	_Alignas(16) uint64_t running[2];
	uint64_t settled[2];
};

// Counts that a running word wrapped.
void tally_carry(const uint64_t *word);

// Settles the carries of a parity that no recorder writes any more.
void carries_settle(uint32_t parity);

static inline void tally_add(struct tally *t, uint32_t parity, uint64_t n)
{
	uint64_t before = __atomic_fetch_add(&t->running[parity], n, __ATOMIC_RELAXED);
	if (__builtin_expect(before + n < before, 0))
		tally_carry(&t->running[parity]);
}

static inline void tally_settle(struct tally *t, uint32_t parity)
{
	__atomic_store_n(&t->settled[parity], __atomic_load_n(&t->running[parity], __ATOMIC_ACQUIRE), __ATOMIC_RELAXED);
}

// Returns the sum of all additions until now, which wraps. The difference of two such sums is right if it fits in a word.
static inline uint64_t tally_now(const struct tally *t)
{
	return __atomic_load_n(&t->running[0], __ATOMIC_RELAXED) + __atomic_load_n(&t->running[1], __ATOMIC_RELAXED);
}

#endif
