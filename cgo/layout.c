//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

// Decides which part of the region lies where. This file knows the files that use the region, and none of them knows it.

#include "layout.h"

#include <errno.h>
#include <unistd.h>

#include "box.h"
#include "clock.h"
#include "gate.h"
#include "gate_slot.h"
#include "last.h"
#include "lookup.h"
#include "mapped.h"
#include "objects.h"
#include "region.h"
#include "stacks.h"

_Static_assert(sizeof(struct header) <= 4096, "the header lies on one page, and ends before the filter");

static uint64_t take(struct header *h, uint64_t size)
{
	uint64_t at = REGION_ALIGN(h->used, 64);
	h->used = at + size;
	return at;
}

// If everything is recorded, the tables are large anyway, and more heads make searches shorter.
static uint64_t heads_for(uint64_t size, uint64_t sample_bytes)
{
	uint64_t heads = 1024, bytes = sample_bytes == 1 ? 2048 : 8192;
	while (heads * bytes < size && heads < (1u << 20))
		heads *= 2;
	return heads;
}

static void lay_out(struct header *h, uint64_t size, uint64_t sample_bytes)
{
	clock_find();
	h->version = REGION_VERSION;
	__atomic_store_n(&h->pid, getpid(), __ATOMIC_RELAXED);
	__atomic_store_n(cgoheap_here, getpid(), __ATOMIC_RELAXED); // see region_here; it may be the same word
	h->size = size;
	h->used = REGION_FILTER + REGION_FILTER_SLOTS;
	__atomic_store_n(&h->sample_bytes, sample_bytes, __ATOMIC_RELAXED); // a delayed thread may read it
	h->clock = clock_now();
	h->started = clock_read(CLOCK_REALTIME);
	h->heads = heads_for(size, sample_bytes);
	h->frame_heads = take(h, h->heads * sizeof(uint32_t));
	h->node_heads = take(h, h->heads * sizeof(uint32_t));
	h->stack_heads = take(h, h->heads * sizeof(struct stack_head));
	h->label_heads = take(h, h->heads * sizeof(uint32_t));
	h->modules = take(h, REGION_MODULES * sizeof(uint32_t));
	h->objects = take(h, OBJECT_SLOTS * sizeof(uint32_t));
	h->met = take(h, CACHE_ENTRIES * sizeof(struct cache_entry));
	h->lasts = take(h, last_size());
	h->mapped = take(h, mapped_size());
	h->slots = take(h, GATE_SLOTS * sizeof(struct gate_slot));
	// Last, because the process may be killed at any instant: a file has a whole header, or none.
	__atomic_store_n(&h->magic, REGION_MAGIC, __ATOMIC_RELEASE);
}

int layout_open(const struct region_file *file, uint64_t size, uint64_t sample_bytes)
{
	int failed = region_map(file, size);
	if (failed != 0)
		return failed;
	bool boxed = region_may_lack_pages();
	failed = boxed ? box_open() : 0; // before the first store: the volume may be full
	if (failed == 0) {
		lay_out(cgoheap_region, size, sample_bytes);
		failed = region_allow(cgoheap_region->used) ? 0 : ENOMEM;
	}
	if (failed != 0) {
		region_close();
		box_close();
		return failed;
	}
	if (boxed)
		box_laid_out();
	else if (file != NULL && cgoheap_file_size == 0)
		cgoheap_region->missing = 1; // at least
	mapped_begin();
	return 0;
}
