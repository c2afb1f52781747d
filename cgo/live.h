// The live table: address of a sampled block → its record.
#ifndef CGOHEAP_LIVE_H
#define CGOHEAP_LIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "block.h"
#include "filter.h"
#include "region.h"

#define BUCKET 8
#define LEVEL_BUCKETS 512 // in the first level
#define RESERVED 1        // a key whose record is being written

struct bucket {
	uint64_t keys[BUCKET];
	struct block blocks[BUCKET];
};

_Static_assert(sizeof(struct bucket) == 256, "a bucket is four cache lines");

// Whether a block at p may be in the table: false means it is not. Four instructions of free.
static inline bool live_maybe(const void *p)
{
	return __atomic_load_n(filter_slot((uintptr_t)p), __ATOMIC_RELAXED) != 0;
}

// Prefetches what the next search for p is likely to read. It never faults.
void live_prefetch(const void *p);

// The same for a search that probably finds nothing, and so reads all levels.
void live_prefetch_older(const void *p);

// KEPT_NOT: the region is full. KEPT_ALREADY: the table has a block at that address, and keeps it.
enum kept { KEPT, KEPT_NOT, KEPT_ALREADY };

// Remembers a block.
enum kept live_insert(const void *p, const struct block *b);

// Moves a block's record from the table to *b. False if the table does not have it.
bool live_remove(const void *p, struct block *b);

// Adds 1 to counts[filter_index(p)] for each block p in the table; counts stop at UINT8_MAX.
void live_count(uint8_t *counts);

// Marks the record of a block that is being freed, or removes the mark, without the gate: until the block's real free
// nobody else has its address. False if it is not in the table, or if the mark was already so.
bool live_mark_lost(const void *p, bool lost);

#endif
