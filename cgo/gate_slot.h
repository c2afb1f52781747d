// The private data of each slot of the gate, in the region: frequent counters are counted there, without an atomic
// addition.
#ifndef CGOHEAP_GATE_SLOT_H
#define CGOHEAP_GATE_SLOT_H

#include <stdint.h>

#include "counters.h"
#include "region.h"

struct gate_slot {
	uint64_t counters[COUNTS];    // to be added to the header's
	_Alignas(64) uint64_t credit; // see credit.h
};

static inline struct gate_slot *slot_at(uint32_t slot)
{
	return (struct gate_slot *)region_at(cgoheap_region->slots) + slot;
}

// Adds n, which may be -1, to a counter in the slot of the gate that the caller is in.
static inline void count_in(uint32_t slot, enum counter c, uint64_t n)
{
	uint64_t *at = &slot_at(slot)->counters[c];
	__atomic_store_n(at, __atomic_load_n(at, __ATOMIC_RELAXED) + n, __ATOMIC_RELAXED);
}

#endif
