//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

// The memory that a twin may load.

#include "chunks.h"

static void add_area(void *arg, const struct twin_map *m)
{
	struct twin_heaps *h = arg;
	if (m->readable && m->writable && !m->shared && h->areas_count < TWIN_MOST_HEAPS)
		h->areas[h->areas_count++] = (struct twin_chunks_area){m->start, m->limit, m->anonymous};
}

bool twin_chunks_add_areas(struct twin_heaps *h, const struct twin_maps *maps)
{
	return twin_maps_each(maps, add_area, h);
}

uint64_t twin_chunks_area_at(const struct twin_heaps *h, uint64_t address)
{
	uint64_t from = 0, to = h->areas_count;
	while (from < to) {
		uint64_t middle = (from + to) / 2;
		if (h->areas[middle].limit <= address)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

bool twin_chunks_area_holds(const struct twin_heaps *h, uint64_t start, uint64_t size)
{
	if (size > UINT64_MAX - start)
		return false;
	uint64_t at = start;
	for (uint64_t i = twin_chunks_area_at(h, start); i < h->areas_count && h->areas[i].start <= at; i++) {
		at = h->areas[i].limit;
		if (at >= start + size)
			return true;
	}
	return false;
}
