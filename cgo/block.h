// A live block's record. It holds, packed: a weight, a site, a time.
#ifndef CGOHEAP_BLOCK_H
#define CGOHEAP_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "weight.h"

// A live block's record; its address is the key beside it. See live.c.
struct block {
	struct weight weight; // its weight; the upper bits of the objects hold more, see below
	uint32_t site;
	uint32_t born; // the lower bits of the time of allocation, in ticks of clock.h
};

// The upper bits of the time of allocation lie above the objects: 2^37 ticks are 73 years.
#define BLOCK_BORN_BITS (32 + 62 - WEIGHT_OBJECT_BITS)
#define BLOCK_BORN ((1ULL << BLOCK_BORN_BITS) - 1)

// The bits above the time: the program reported the block, which need not lie in memory of malloc's; and the block was freed, but
// its free could not be recorded.
#define BLOCK_REPORTED (1ULL << 62)
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

// How many ticks the block has lived at the time ticks.
static inline uint64_t block_age(const struct block *b, uint64_t ticks)
{
	return (ticks - (b->weight.of[OBJECTS] >> WEIGHT_OBJECT_BITS << 32 | b->born)) & BLOCK_BORN; // without the bits above
}

#endif
