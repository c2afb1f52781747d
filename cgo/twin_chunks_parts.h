// The parts of twin_heaps_find.
#ifndef CGOHEAP_TWIN_CHUNKS_PARTS_H
#define CGOHEAP_TWIN_CHUNKS_PARTS_H

#include "twin_chunks.h"

#define ARENA_FAST 16
#define ARENA_TOP 96
#define ARENA_BINS 112
#define ARENA_NEXT 2160
#define ARENA_SYSTEM 2184
#define ARENA_SIZE 2200
#define FAST_BINS 10
#define BINS 127

#define MOST_HEAPS (1 << 18)

struct twin_area {
	uint64_t start, limit;
	bool anonymous;
};

// Whether all of this is mapped, writable and not shared, so that loads do not fault.
bool twin_areas_hold(const struct twin_heaps *h, uint64_t start, uint64_t size);

// The area in which the address lies, or the next one; areas_count if there is none.
uint64_t twin_areas_at(const struct twin_heaps *h, uint64_t address);

typedef void twin_arena_visit(struct twin_heaps *h, const struct twin_malloc *m, uint64_t arena);

// Visits all arenas: the first, then the others in the order of their circle. Returns false if it does not close.
bool twin_chunks_each(struct twin_heaps *h, const struct twin_malloc *m, twin_arena_visit *each);

// Adds the heaps of the first arena, and of another. Returns false if not all were found.
bool twin_chunks_first(struct twin_heaps *h, const struct twin_malloc *m);
bool twin_chunks_arena(struct twin_heaps *h, uint64_t arena);

// Adds the chunks that malloc mapped one by one, behind the heaps in the list, which are ascending.
void twin_chunks_mapped(struct twin_heaps *h, const struct twin_malloc *m);

// Marks what is in the fast bins of an arena.
void twin_chunks_fast(struct twin_heaps *h, uint64_t arena);

// Marks what is in the cache of a thread, if the chunk is one.
void twin_chunks_cached(struct twin_heaps *h, uint64_t at, uint64_t size, uint64_t key);

// Marks the chunk if its second word says that it is in a cache.
void twin_chunks_keyed(struct twin_heaps *h, uint64_t at, uint64_t size, uint64_t key);

#endif
