// One heap of glibc's: a row of chunks without gaps. A chunk begins with two words,
//
//	size of the chunk before it, if that is free │ own size | flags │ ...
//
// so that whether a chunk is free is written in the next one. A heap ends with the arena's top, which is free, or with a
// fence: a header of the size 0 (or 16, in the first arena), perhaps behind one of the size 16.
//
// What is read here is the memory of a stopped process, a thread of which may just have been changing a heap. Its last word
// may be missing: see heap.c. Anything else that does not fit means that these are no chunks.
#ifndef CGOHEAP_TWIN_HEAP_H
#define CGOHEAP_TWIN_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TWIN_CHUNK_LEAST 32
#define TWIN_CHUNK_FENCE 16
#define TWIN_CHUNK_HEADER 16
#define TWIN_CHUNK_FLAGS 7ULL
#define TWIN_CHUNK_BEFORE_IN_USE 1ULL
#define TWIN_CHUNK_MAPPED 2ULL
#define TWIN_ARENA_UNSORTED 112 // the first chunk of the list, in struct malloc_state

struct twin_heap {
	uint64_t start, limit; // all its memory; readable
	uint64_t first, end;   // its first chunk; its top, or the last header of its fence
	uint64_t arena;        // readable
	bool has_top;
	bool mapped;     // it is one chunk, which malloc mapped alone
	uint64_t *marks; // a bit for each 16 bytes from start: a chunk there is free, though the layout says that it is in use
};

// A chunk, and where a walk through a heap is.
struct twin_chunk {
	uint64_t at, size; // the size fits the heap
	bool is_free;      // of the chunk before at, which begins at before
	uint64_t before;
	uint32_t torn; // chunks that a thread was changing
};

static inline uint64_t twin_word(uint64_t at)
{
	return *(const volatile uint64_t *)at;
}

static inline uint64_t twin_chunk_size(uint64_t at)
{
	return twin_word(at + 8) & ~TWIN_CHUNK_FLAGS;
}

static inline bool twin_heap_marked(const struct twin_heap *h, uint64_t at)
{
	uint64_t bit = (at - h->start) / 16;
	return (h->marks[bit / 64] >> bit % 64 & 1) != 0;
}

// Whether a chunk of the size can begin there, before the end.
static inline bool twin_heap_fits(const struct twin_heap *h, uint64_t at, uint64_t size)
{
	return size <= h->end - at && size % 16 == 0 &&
	       (size >= TWIN_CHUNK_LEAST || (size == TWIN_CHUNK_FENCE && at + size == h->end));
}

// What twin_heap_next does where the next header does not fit.
bool twin_heap_mend(const struct twin_heap *h, struct twin_chunk *c);

// Goes to a heap's first chunk. Returns false if there can be none.
static inline bool twin_heap_begin(const struct twin_heap *h, struct twin_chunk *c)
{
	*c = (struct twin_chunk){.at = h->first, .before = h->first};
	if (h->first == h->end)
		return true;
	c->size = twin_chunk_size(h->first);
	return twin_heap_fits(h, h->first, c->size);
}

// Goes to the chunk after c, which must not be at the heap's end; c->before and c->is_free are then about the chunk that
// was passed. Returns false if the chunks lead nowhere.
static inline bool twin_heap_next(const struct twin_heap *h, struct twin_chunk *c)
{
	uint64_t passed = c->size;
	c->before = c->at;
	c->at += passed;
	uint64_t word = twin_word(c->at + 8);
	c->size = word & ~TWIN_CHUNK_FLAGS;
	if (__builtin_expect(c->at != h->end && !twin_heap_fits(h, c->at, c->size), false))
		return twin_heap_mend(h, c);
	c->is_free = (word & TWIN_CHUNK_BEFORE_IN_USE) == 0;
	if (__builtin_expect(c->is_free && twin_word(c->at) != passed, false)) {
		c->is_free = false; // it is just being freed, or joined with another
		c->torn++;
	}
	return true;
}

// Whether the heap's chunks lead from its first to its end. Calls each, if not NULL, for each of them that the layout says
// is in use.
bool twin_heap_whole(const struct twin_heap *h, void (*each)(void *arg, uint64_t at, uint64_t size), void *arg);

// Whether some chunks follow one another from an address on, or all up to the end.
bool twin_heap_leads(const struct twin_heap *h, uint64_t at);

#endif
