//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

// A thread that takes a piece off the top, or off a free chunk, writes three words, and may have stopped between any two of
// them:
//
//	top of the arena ─┐
//	│ size of the piece │ size of the rest ...        the piece may still have the size of both, or the rest none yet
//
// The end of a heap is known without these words. The rest of a free chunk is put at the beginning of the arena's list of
// unsorted chunks before its header is written. And behind a free chunk its size is written a second time, before the
// header of the next one, so that the end of one that is cut is found by a word that leads back to it.

#include "heap.h"

#define MOST_TORN 32        // more than threads change a heap: they wait for its lock
#define MOST_CUT (64 << 20) // bytes behind a chunk that are searched
#define LEADS 8             // chunks; more would hide a corrupt one among the first

// Looks for the chunk behind the free one that c->before was cut from.
static bool find_next(const struct twin_heap *h, struct twin_chunk *c)
{
	if (h->arena == 0 || twin_word(h->arena + TWIN_ARENA_UNSORTED) != c->at)
		return false;
	uint64_t limit = h->end - c->at < MOST_CUT ? h->end : c->at + MOST_CUT;
	for (uint64_t at = c->at; at <= limit; at += 16) {
		if (twin_word(at) != at - c->before || (twin_word(at + 8) & TWIN_CHUNK_BEFORE_IN_USE) != 0)
			continue;
		if (at != h->end && !twin_heap_leads(h, at)) // the header of one that was joined with the one before it
			continue;
		c->at = at;
		c->size = twin_chunk_size(at);
		c->is_free = true;
		return true;
	}
	return false;
}

bool twin_heap_mend(const struct twin_heap *h, struct twin_chunk *c)
{
	c->torn++;
	if (c->at < h->end && c->size == h->limit - c->at) { // it was the top
		c->size = h->end - c->at;
		c->is_free = false;
		return true;
	}
	return find_next(h, c);
}

bool twin_heap_leads(const struct twin_heap *h, uint64_t at)
{
	struct twin_chunk c = {.at = at, .size = twin_chunk_size(at)};
	if (at == h->end)
		return h->has_top;
	if (!twin_heap_fits(h, at, c.size))
		return false;
	for (int i = 0; i < LEADS && c.at != h->end; i++)
		if (!twin_heap_next(h, &c) || c.torn != 0)
			return false;
	return true;
}

bool twin_heap_whole(const struct twin_heap *h, void (*each)(void *arg, uint64_t at, uint64_t size), void *arg)
{
	struct twin_chunk c;
	if (!twin_heap_begin(h, &c))
		return false;
	while (c.at != h->end) {
		if (!twin_heap_next(h, &c) || c.torn > MOST_TORN)
			return false;
		if (each != NULL && !c.is_free)
			each(arg, c.before, c.at - c.before);
	}
	return true;
}
