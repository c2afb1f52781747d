// Credit: what keeps recorders far below the peak (peak.c) off the one word that they all change.
//
// Far below the peak nobody needs to know the total, and all cores would fight for its cache line. So a place of the gate
// is given credit: bytes that count as in use before they are. Its recorders take from it and give to it alone. Credit is
// given only where the total with all credit stays at or below the peak, so what it pays for never makes a new one; whoever
// would pass the peak takes back all credit first, and then the total is exact. A place's credit is opened and closed by
// the same swaps that count it, so while one is being opened, nobody takes the total for exact. A reader that needs the
// total of a moment forbids credit and takes back what there is; who is just being given some finds that it is forbidden,
// and gives it back.
#ifndef CGOHEAP_CREDIT_H
#define CGOHEAP_CREDIT_H

#include <stdbool.h>
#include <stdint.h>

#include "gate.h"
#include "region.h"

// Of the word that holds the total: one place with credit, and one unit of the total. Recorders that are just about to open
// credit count as places, so more may want some than the number has room for.
#define PLACE 1ULL
#define UNIT (1ULL << 8)
#define MOST_PLACES (UNIT - 1)

_Static_assert(GATE_HOMES <= MOST_PLACES, "every home may have credit at once");

// A place's credit: bytes << 1 | open.
#define OPENED 1ULL

// Whether there is no credit in what is called in use.
static inline bool total_exact(uint64_t total)
{
	return total % UNIT == 0;
}

// Of the word that holds the peak: no credit is given while one of these is set.
#define NO_CREDIT 1ULL
#define DUE 2ULL // the last reset found no exact total; who finds one next makes it the peak

// The credit of a home at the gate; all other places share one with a home.
static inline uint64_t *credit_of(uint32_t place)
{
	return &place_at(place % GATE_HOMES)->credit;
}

// Takes from a place's credit; false if it has not as much.
static inline bool credit_spend(uint64_t *credit, uint64_t bytes)
{
	uint64_t seen = __atomic_load_n(credit, __ATOMIC_RELAXED);
	while ((seen & OPENED) != 0 && seen >> 1 >= bytes)
		if (__atomic_compare_exchange_n(credit, &seen, seen - (bytes << 1), 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			return true;
	return false;
}

static inline bool credit_give(uint64_t *credit, uint64_t bytes)
{
	uint64_t seen = __atomic_load_n(credit, __ATOMIC_RELAXED);
	while ((seen & OPENED) != 0)
		if (__atomic_compare_exchange_n(credit, &seen, seen + (bytes << 1), 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			return true;
	return false;
}

// What the total falls by when a place's credit is closed.
static inline uint64_t credit_close(uint64_t *credit)
{
	if ((__atomic_load_n(credit, __ATOMIC_SEQ_CST) & OPENED) == 0)
		return 0;
	uint64_t closed = __atomic_exchange_n(credit, 0, __ATOMIC_ACQ_REL);
	return (closed & OPENED) == 0 ? 0 : (closed >> 1) * UNIT + PLACE;
}

// Closes a place's credit, if it is open, and takes it from the total.
void credit_return(uint64_t *credit);

// Gives a place credit that the total has in it by now; takes it from there again if another recorder just did the same.
void credit_open(uint64_t *credit, uint64_t given);

// Takes back all credit. False if another thread was too long about opening or closing one.
bool credit_take_back(void);

// Forbids credit until credit_allow. True once the total is exact, and until then it stays so; false if a thread that was
// being given credit, or was giving it back, was stopped for a second.
bool credit_forbid(void);
void credit_allow(void);

// What credit is open, in units of the total.
uint64_t credit_now(void);

#endif
