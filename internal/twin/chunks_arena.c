//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

// Where the heaps of each arena are. How they end is known, and where they begin, but for those of the first arena that
// memory of others lies before.

#include "chunks.h"
#include "machine.h"

#define MOST_ARENAS (1 << 14)
#define HEAP_MOST (64ULL << 20) // the size of a heap's reservation, and its alignment

static bool add_heap(struct twin_heaps *h, struct twin_heap heap)
{
	if (h->count == TWIN_MOST_HEAPS)
		return false;
	h->heaps[h->count++] = heap;
	return true;
}

// The second header of a fence of the first arena's, behind which others have taken memory by sbrk; 0 if there is none.
static uint64_t fence_of(const struct twin_heap *h)
{
	struct twin_chunk c;
	if (!twin_heap_begin(h, &c))
		return 0;
	while (c.at != h->end) {
		uint64_t next = c.at + c.size;
		if (h->end - next >= TWIN_CHUNK_FENCE && twin_chunk_size(next) == TWIN_CHUNK_FENCE &&
		    twin_chunk_size(next + TWIN_CHUNK_FENCE) == TWIN_CHUNK_FENCE)
			return next + TWIN_CHUNK_FENCE;
		if (!twin_heap_next(h, &c))
			return 0;
	}
	return 0;
}

#define NO_CHUNKS 0 // what add_main returns where there are none
#define BROKEN 1    // or where there are, which lead nowhere

// Adds a heap of the first arena's. It begins at its start, or behind memory of others. Returns where it ends.
static uint64_t add_main(struct twin_heaps *h, struct twin_heap heap)
{
	struct twin_chunk c;
	heap.first = heap.start;
	if (!twin_heap_begin(&heap, &c))
		while (heap.first <= heap.end && !twin_heap_leads(&heap, heap.first))
			heap.first += 16;
	if (heap.first > heap.end)
		return NO_CHUNKS;
	if (!twin_heap_whole(&heap, NULL, NULL)) {
		uint64_t fence = fence_of(&heap);
		if (fence == 0)
			return BROKEN;
		heap.end = fence;
		heap.limit = fence + TWIN_CHUNK_FENCE;
		heap.has_top = false;
	}
	return add_heap(h, heap) ? heap.limit : BROKEN;
}

// Adds the heaps of the first arena in a range without gaps. Returns false if they are not whole, or if its top lies there
// and was not reached.
static bool add_mains(struct twin_heaps *h, struct twin_range r, uint64_t arena)
{
	uint64_t top = twin_word(arena + TWIN_ARENA_TOP);
	bool has_top = r.start <= top && top < r.limit && r.limit - top >= TWIN_CHUNK_FENCE;
	if (!twin_chunks_area_holds(h, r.start, r.limit - r.start))
		return !has_top;
	if (has_top && twin_chunk_size(top) <= r.limit - top && twin_chunk_size(top) >= TWIN_CHUNK_LEAST)
		r.limit = top + twin_chunk_size(top);
	while (r.start < r.limit && r.limit - r.start >= TWIN_CHUNK_LEAST) {
		uint64_t end = has_top ? top : r.limit - TWIN_CHUNK_FENCE;
		struct twin_heap heap = {.start = r.start, .limit = r.limit, .end = end, .arena = arena, .has_top = has_top};
		r.start = add_main(h, heap);
		if (r.start == NO_CHUNKS || r.start == BROKEN)
			return r.start == NO_CHUNKS && !has_top;
	}
	return true;
}

static uint64_t whole_chunks(uint64_t at)
{
	return (at + 15) & ~15ULL;
}

// The data segment without what is others', or where brk failed, what was mapped instead for the newest heap.
bool twin_chunks_first(struct twin_heaps *h, const struct twin_malloc *m)
{
	uint64_t top = twin_word(m->arena + TWIN_ARENA_TOP), from = m->program.start;
	uint64_t limit = (uint64_t)system_call(SYS_brk, 0, 0, 0, 0) & ~15ULL, sum = 0;
	bool found = true;
	if (top % 16 != 0)
		return false;
	if (top - m->arena < TWIN_ARENA_SIZE)
		return true; // it is new
	if (limit < from)
		limit = from;
	for (uint32_t i = 0; i <= m->others_count && i <= TWIN_OTHERS; i++) {
		bool last = i == m->others_count || i == TWIN_OTHERS;
		uint64_t to = last || m->others[i].start > limit ? limit : m->others[i].start & ~15ULL;
		struct twin_range r = {whole_chunks(from), to};
		if (r.start < r.limit)
			found = add_mains(h, r, m->arena) && found;
		if (!last && m->others[i].limit > from)
			from = m->others[i].limit;
	}
	sum = limit - m->program.start;
	uint64_t area = twin_chunks_area_at(h, top);
	if (top < m->program.start || top >= limit) {
		found = area < h->areas_count && h->areas[area].start <= top &&
			add_mains(h, (struct twin_range){h->areas[area].start, h->areas[area].limit}, m->arena) && found;
		sum = 0; // there may be more elsewhere
	}
	return found && sum >= twin_word(m->arena + TWIN_ARENA_SYSTEM);
}

// A heap of another arena begins with struct heap_info: the arena, the arena's heap before it, its size, and how much of it
// was ever writable. The arena lies behind it in the arena's first heap. See internal/malloc/heaps.go.
bool twin_chunks_arena(struct twin_heaps *h, uint64_t arena)
{
	uint64_t top = twin_word(arena + TWIN_ARENA_TOP), base = arena & ~(HEAP_MOST - 1);
	bool newest = true;
	for (uint64_t at = top & ~(HEAP_MOST - 1); at != 0; at = twin_word(at + 8)) {
		uint64_t size, first = whole_chunks(at == base ? arena + TWIN_ARENA_SIZE : at + arena - base);
		if (at % HEAP_MOST != 0 || !twin_chunks_area_holds(h, at, 32) || twin_word(at) != arena)
			return false;
		size = twin_word(at + 16);
		if (size > HEAP_MOST || size % 16 != 0 || !twin_chunks_area_holds(h, at, size) || first - at > size ||
		    size - (first - at) < TWIN_CHUNK_LEAST)
			return false;
		struct twin_heap heap = {.start = at, .limit = at + size, .first = first, .arena = arena, .has_top = newest};
		heap.end = newest ? top : heap.limit - TWIN_CHUNK_FENCE;
		if (heap.end < first || heap.end % 16 != 0 || heap.end > heap.limit - 16 || !add_heap(h, heap))
			return false;
		newest = false;
	}
	return !newest;
}

static bool is_arena(const struct twin_heaps *h, uint64_t at)
{
	uint64_t last = at + TWIN_ARENA_BINS + 16 * (TWIN_BINS - 1);
	return at % 8 == 0 && twin_chunks_area_holds(h, at, TWIN_ARENA_SIZE) && twin_word(last) == last - 16 &&
	       twin_word(last + 8) == last - 16;
}

bool twin_chunks_each(struct twin_heaps *h, const struct twin_malloc *m, twin_arena_visit *each)
{
	uint64_t at = m->arena;
	for (int i = 0; i < MOST_ARENAS; i++) {
		if (!is_arena(h, at))
			return false;
		each(h, m, at);
		at = twin_word(at + TWIN_ARENA_NEXT);
		if (at == m->arena)
			return true;
	}
	return false;
}
