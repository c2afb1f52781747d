// Credit keeps recorders far below the peak (peak.c) off the one word that they all change.
//
// Far below the peak no recorder needs the exact total, and all cores would contend for its cache line. So a slot of the
// gate gets credit: bytes that count as in use before they are. Its recorders take bytes from the credit and return them
// to it, without touching the total. Credit is given only if the total including all credit stays at or below the peak,
// so allocations that use credit never make a new peak. A recorder that would pass the peak takes back all credit first;
// then the total is exact. The swap that opens or closes a slot's credit also counts it in the total, so while credit is
// being opened, no thread takes the total for exact. A reader that needs the total of a moment forbids credit and takes
// back what there is. A recorder that is just being given credit finds that it is forbidden, and gives it back.
#ifndef CGOHEAP_CREDIT_H
#define CGOHEAP_CREDIT_H

#include <stdbool.h>
#include <stdint.h>

#include "gate.h"
#include "gate_slot.h"
#include "region.h"

// In the word that holds the total: SLOT counts one slot with credit, UNIT one unit of the total. Recorders that are
// just about to open credit count as slots, so more may want credit than this number can hold.
#define SLOT 1ULL
#define UNIT (1ULL << 8)
#define MOST_SLOTS (UNIT - 1)

_Static_assert(GATE_HOMES <= MOST_SLOTS, "every home may have credit at once");

// A slot's credit: bytes << 1 | open.
#define OPENED 1ULL

// Whether the total includes no credit.
static inline bool total_exact(uint64_t total)
{
	return total % UNIT == 0;
}

// Flags in the word that holds the peak: no credit is given while one of these is set.
#define NO_CREDIT 1ULL
#define DUE 2ULL // the last reset found no exact total; the next exact total becomes the peak

// The credit of a home at the gate; all other slots share one with a home.
static inline uint64_t *credit_of(uint32_t slot)
{
	return &slot_at(slot % GATE_HOMES)->credit;
}

// Takes bytes from a slot's credit; false if it has less.
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

// Closes a slot's credit; returns what must be subtracted from the total.
static inline uint64_t credit_close(uint64_t *credit)
{
	if ((__atomic_load_n(credit, __ATOMIC_SEQ_CST) & OPENED) == 0)
		return 0;
	uint64_t closed = __atomic_exchange_n(credit, 0, __ATOMIC_ACQ_REL);
	return (closed & OPENED) == 0 ? 0 : (closed >> 1) * UNIT + SLOT;
}

// Closes a slot's credit, if it is open, and takes it from the total.
void credit_return(uint64_t *credit);

// Gives a slot credit that the total already includes; subtracts it again if another recorder just gave that slot credit.
void credit_open(uint64_t *credit, uint64_t given);

// Takes back all credit. False if another thread took too long to open or close its credit.
bool credit_take_back(void);

// Forbids credit until credit_allow. True once the total is exact, and until then it stays so; false if a thread that was
// being given credit, or was giving it back, was stopped for a second.
bool credit_forbid(void);
void credit_allow(void);

// The credit that is open, in units of the total.
uint64_t credit_now(void);

#endif
