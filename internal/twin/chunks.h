// glibc's heaps, as a twin reads them at one instant: where they are, and for each chunk whether it is free. The layout is
// that of internal/malloc's arena.go and heaps.go, which finds the first arena beforehand, and checks it. Nothing is
// trusted: what is not mapped is not loaded, and a heap whose chunks do not lead from its start to its end does not count.
//
// Free are chunks that the layout says are free, those in the arenas' fast bins, and those in the threads' caches. The
// latter two look as if they were in use. Both are lists, which are followed.
#ifndef CGOHEAP_TWIN_CHUNKS_H
#define CGOHEAP_TWIN_CHUNKS_H

#include "found.h"
#include "heap.h"
#include "maps.h"

#define TWIN_OTHERS 64

// What is known before the twin is made. Zeroes: nothing, and then there are no heaps.
struct twin_malloc {
	uint64_t arena;         // glibc's first one, struct malloc_state
	uint64_t page;          // the size of a page
	uint64_t key;           // twin_chunks_key; 0: unknown
	uint64_t mapped_blocks; // address of the number of blocks that are mapped one by one, an int; 0: unknown
	uint64_t mapped_bytes;  // address of the sum of their bytes
	struct twin_range program;             // the data segment, as brk has moved its end until now
	struct twin_range others[TWIN_OTHERS]; // what is not malloc's of it, ascending; if some is missing, it is searched
	uint32_t others_count;
};

// glibc's heaps at the instant, ascending. Their memory is the twin's own.
struct twin_heaps {
	struct twin_heap *heaps;
	uint64_t count;
	uint32_t unknown; // heaps that are none by their chunks, and arenas of which heaps were not found
	uint64_t caches;  // threads' caches that hold blocks

	uint64_t page;
	struct twin_chunks_area *areas; // the mappings that are writable and not shared
	uint64_t areas_count;
	uint64_t *marks;
};

// Finds the heaps, and which chunks are free. No recorded block is free, whatever holds it: blocks are all recorded blocks,
// of which there are n. Returns false if there is no memory, or no list of mappings.
bool twin_heaps_find(struct twin_heaps *h, const struct twin_malloc *m, const struct twin_maps *maps,
		     const struct twin_block *blocks, uint64_t n);

// Calls each for all memory of each heap that is known, arena headers included, and of each block that malloc mapped alone;
// ascending.
void twin_heaps_each(const struct twin_heaps *h, void (*each)(void *arg, uint64_t start, uint64_t limit), void *arg);

// The heap in which the address lies; NULL if there is none.
const struct twin_heap *twin_heaps_at(const struct twin_heaps *h, uint64_t address);

// User is what malloc returned, and usable what malloc_usable_size returns for it.
typedef void twin_visit(void *arg, uint64_t user, uint64_t usable, bool is_free);

// Visits every chunk of every known heap, ascending. A block that malloc mapped alone is visited as if it were not aligned
// more than usual: from the 16th byte of its mapping on.
void twin_chunks(const struct twin_heaps *h, twin_visit *visit, void *arg);

// What marks a block in a thread's cache in its second word: since glibc 2.34 the same random number in all threads, since
// 2.29 the address of the thread's own cache; 0 if there is none. Allocates and frees a small block by malloc's real
// functions: for the program, before the twin.
uint64_t twin_chunks_key(void *malloc, void *free);

// What follows is for the files of this part: how twin_heaps_find does it. First struct malloc_state, as in
// internal/malloc/arena.go.

#define TWIN_ARENA_FAST 16
#define TWIN_ARENA_TOP 96
#define TWIN_ARENA_BINS 112
#define TWIN_ARENA_NEXT 2160
#define TWIN_ARENA_SYSTEM 2184
#define TWIN_ARENA_SIZE 2200
#define TWIN_FAST_BINS 10
#define TWIN_BINS 127

#define TWIN_MOST_HEAPS (1 << 18)

struct twin_chunks_area {
	uint64_t start, limit;
	bool anonymous;
};

// Adds the areas, for which there is room. Returns false if there is no list of mappings.
bool twin_chunks_add_areas(struct twin_heaps *h, const struct twin_maps *maps);

// Whether all of this is mapped, writable and not shared, so that loads do not fault.
bool twin_chunks_area_holds(const struct twin_heaps *h, uint64_t start, uint64_t size);

// The area in which the address lies, or the next one; areas_count if there is none.
uint64_t twin_chunks_area_at(const struct twin_heaps *h, uint64_t address);

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
