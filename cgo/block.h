// What a live block's record holds, packed: a weight, a site, a time.
#ifndef CGOHEAP_BLOCK_H
#define CGOHEAP_BLOCK_H

#include <stdint.h>

#include "region.h"

// The upper bits of the time lie above the objects: 2^38 ticks are 146 years.
#define BLOCK_BORN_BITS (32 + 63 - WEIGHT_OBJECT_BITS)
#define BLOCK_BORN ((1ULL << BLOCK_BORN_BITS) - 1)

// Above that: the block was freed, and that could not be recorded.
#define BLOCK_LOST (1ULL << 63)

static inline bool block_lost(const struct block *b)
{
	return (b->weight.of[OBJECTS] & BLOCK_LOST) != 0;
}

static inline struct block block_of(struct weight w, uint32_t site, uint64_t ticks)
{
	struct block b = {.weight = w, .site = site, .born = (uint32_t)ticks};
	b.weight.of[OBJECTS] |= ticks >> 32 << WEIGHT_OBJECT_BITS;
	return b;
}

static inline struct weight block_weight(const struct block *b)
{
	return (struct weight){{b->weight.of[OBJECTS] & WEIGHT_OBJECTS, b->weight.of[BYTES]}};
}

// For how many ticks the block has lived, at a time in ticks.
static inline uint64_t block_age(const struct block *b, uint64_t ticks)
{
	return (ticks - (b->weight.of[OBJECTS] >> WEIGHT_OBJECT_BITS << 32 | b->born)) & BLOCK_BORN;
}

#endif
