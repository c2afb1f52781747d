//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

#include "chunks.h"
#include "machine.h"
#include "sort.h"

static void add_heaps(struct twin_heaps *h, const struct twin_malloc *m, uint64_t arena)
{
	if (!(arena == m->arena ? twin_chunks_first(h, m) : twin_chunks_arena(h, arena)))
		h->unknown++;
}

static void mark_fast(struct twin_heaps *h, const struct twin_malloc *m, uint64_t arena)
{
	(void)m;
	twin_chunks_fast(h, arena);
}

// In order, and without heaps that overlap another: those are none.
static void sort_heaps(struct twin_heaps *h)
{
	uint64_t kept = 0;
	twin_sort(h->heaps, h->count, sizeof *h->heaps, offsetof(struct twin_heap, start));
	for (uint64_t i = 0; i < h->count; i++)
		if (kept == 0 || h->heaps[kept - 1].limit <= h->heaps[i].start)
			h->heaps[kept++] = h->heaps[i];
		else
			h->unknown++;
	h->count = kept;
}

static bool map_marks(struct twin_heaps *h)
{
	uint64_t words = 0;
	for (uint64_t i = 0; i < h->count; i++)
		words += (h->heaps[i].limit - h->heaps[i].start) / 1024 + 1;
	h->marks = pages_map(words * 8 + 8);
	if (h->marks == NULL)
		return false;
	uint64_t *at = h->marks;
	for (uint64_t i = 0; i < h->count; i++) {
		h->heaps[i].marks = at;
		at += (h->heaps[i].limit - h->heaps[i].start) / 1024 + 1;
	}
	return true;
}

struct marking {
	struct twin_heaps *heaps;
	uint64_t key;
};

static void mark_cached(void *arg, uint64_t at, uint64_t size)
{
	struct marking *m = arg;
	twin_chunks_cached(m->heaps, at, size, m->key);
}

static void mark_keyed(void *arg, uint64_t at, uint64_t size)
{
	struct marking *m = arg;
	twin_chunks_keyed(m->heaps, at, size, m->key);
}

// Keeps the heaps that their chunks show to be whole, and marks what is in caches.
static void keep_whole(struct twin_heaps *h, uint64_t key)
{
	struct marking m = {h, key};
	for (uint64_t i = 0; i < h->count; i++)
		h->heaps[i].mapped = !twin_heap_whole(&h->heaps[i], mark_cached, &m); // for now: is none
	uint64_t kept = 0;
	for (uint64_t i = 0; i < h->count; i++)
		if (h->heaps[i].mapped)
			h->unknown++;
		else
			h->heaps[kept++] = h->heaps[i];
	h->count = kept;
	if (h->caches == 0 && key != 0 && twin_heaps_at(h, key) == NULL) // this glibc has them elsewhere
		for (uint64_t i = 0; i < h->count; i++)
			(void)twin_heap_whole(&h->heaps[i], mark_keyed, &m);
}

// What is recorded as in use is in use.
static void unmark(struct twin_heaps *h, const struct twin_block *blocks, uint64_t n)
{
	uint64_t i = 0;
	for (uint64_t b = 0; b < n; b++) {
		while (i < h->count && h->heaps[i].limit <= blocks[b].at)
			i++;
		if (i == h->count)
			return;
		uint64_t into = blocks[b].at - TWIN_CHUNK_HEADER - h->heaps[i].start;
		if (blocks[b].at < h->heaps[i].start + TWIN_CHUNK_HEADER || blocks[b].at % 16 != 0)
			continue;
		h->heaps[i].marks[into / 1024] &= ~(1ULL << into / 16 % 64);
	}
}

bool twin_heaps_find(struct twin_heaps *h, const struct twin_malloc *m, const struct twin_maps *maps,
		     const struct twin_block *blocks, uint64_t n)
{
	*h = (struct twin_heaps){.page = m->page};
	if (m->arena == 0)
		return true;
	h->heaps = pages_map(TWIN_MOST_HEAPS * sizeof *h->heaps);
	h->areas = pages_map(TWIN_MOST_HEAPS * sizeof *h->areas);
	if (h->heaps == NULL || h->areas == NULL || !twin_chunks_add_areas(h, maps))
		return false;
	if (!twin_chunks_each(h, m, add_heaps))
		h->unknown++;
	sort_heaps(h);
	if (!map_marks(h))
		return false;
	keep_whole(h, m->key);
	(void)twin_chunks_each(h, m, mark_fast);
	unmark(h, blocks, n);
	twin_chunks_mapped(h, m);
	sort_heaps(h);
	return true;
}
