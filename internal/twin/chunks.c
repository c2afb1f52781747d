//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

#include "chunks.h"

void twin_heaps_each(const struct twin_heaps *h, void (*each)(void *arg, uint64_t start, uint64_t limit), void *arg)
{
	for (uint64_t i = 0; i < h->count; i++)
		each(arg, h->heaps[i].start, h->heaps[i].limit);
}

const struct twin_heap *twin_heaps_at(const struct twin_heaps *h, uint64_t address)
{
	uint64_t from = 0, to = h->count;
	while (from < to) {
		uint64_t middle = (from + to) / 2;
		if (h->heaps[middle].limit <= address)
			from = middle + 1;
		else
			to = middle;
	}
	return from < h->count && h->heaps[from].start <= address ? &h->heaps[from] : NULL;
}

static void visit_heap(const struct twin_heap *h, twin_visit *visit, void *arg)
{
	struct twin_chunk c;
	if (!twin_heap_begin(h, &c))
		return;
	while (c.at != h->end && twin_heap_next(h, &c))
		if (c.at - c.before >= TWIN_CHUNK_LEAST)
			visit(arg, c.before + TWIN_CHUNK_HEADER, c.at - c.before - 8,
			      c.is_free || twin_heap_marked(h, c.before));
	if (h->has_top && c.at == h->end && h->limit - h->end >= TWIN_CHUNK_LEAST)
		visit(arg, h->end + TWIN_CHUNK_HEADER, h->limit - h->end - TWIN_CHUNK_HEADER, true);
}

void twin_chunks(const struct twin_heaps *h, twin_visit *visit, void *arg)
{
	for (uint64_t i = 0; i < h->count; i++) {
		const struct twin_heap *heap = &h->heaps[i];
		if (heap->mapped)
			visit(arg, heap->start + TWIN_CHUNK_HEADER, heap->limit - heap->start - TWIN_CHUNK_HEADER, false);
		else
			visit_heap(heap, visit, arg);
	}
}

#define SMALL 24 // bytes

// The block that malloc returns leaves room for itself in the cache that it came from. Compilers know what malloc and free
// do, but not what is behind these pointers.
uint64_t twin_chunks_key(void *malloc, void *free)
{
	volatile uint64_t *block = ((void *(*)(size_t))malloc)(SMALL);
	if (block == NULL)
		return 0;
	block[1] = 0;
	uintptr_t at = (uintptr_t)block;
	((void (*)(void *))free)((void *)at);
	return twin_word(at + 8);
}
