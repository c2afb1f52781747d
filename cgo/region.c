//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

#include "region.h"

#include <errno.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "gate.h"
#include "last.h"
#include "pages.h"
#include "lookup.h"
#include "objects.h"

struct header *cgoheap_region;
uint64_t cgoheap_mapped;

_Static_assert(sizeof(struct header) <= REGION_FILTER, "the header ends before the filter");

#define ALIGN(x, to) (((x) + (to) - 1) & ~((uint64_t)(to) - 1))

static uint64_t take(struct header *h, uint64_t size)
{
	uint64_t at = ALIGN(h->used, 64);
	h->used = at + size;
	return at;
}

static uint64_t heads_for(uint64_t size)
{
	uint64_t heads = 1024;
	while (heads * 8192 < size && heads < (1u << 20))
		heads *= 2;
	return heads;
}

static void lay_out(struct header *h, uint64_t size, uint64_t sample_bytes)
{
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	h->magic = REGION_MAGIC;
	h->version = REGION_VERSION;
	__atomic_store_n(&h->pid, getpid(), __ATOMIC_RELAXED); // see region_here
	h->size = size;
	h->used = REGION_FILTER + REGION_FILTER_SLOTS;
	__atomic_store_n(&h->sample_bytes, sample_bytes, __ATOMIC_RELAXED); // a thread that is late may read it
	h->clock = clock_now();
	h->started = (uint64_t)now.tv_sec * 1000000000 + now.tv_nsec;
	h->heads = heads_for(size);
	h->frame_heads = take(h, h->heads * sizeof(uint32_t));
	h->node_heads = take(h, h->heads * sizeof(uint32_t));
	h->stack_heads = take(h, h->heads * sizeof(uint32_t));
	h->label_heads = take(h, h->heads * sizeof(uint32_t));
	h->modules = take(h, REGION_MODULES * sizeof(uint32_t));
	h->objects = take(h, OBJECT_SLOTS * sizeof(uint32_t));
	h->met = take(h, CACHE_PLACES * sizeof(struct place));
	h->lasts = take(h, GATE_HOMES * sizeof(struct last));
	h->places = take(h, GATE_PLACES * sizeof(struct gate_place));
}

int region_open(uint64_t size, uint64_t sample_bytes)
{
	if (size > REGION_MOST)
		return EINVAL;
	// A region is never unmapped: a free that read the filter's address just before the stop may still look there.
	// One that is too small for its successor is left behind, empty.
	if (cgoheap_mapped < size) {
		void *at = pages_map(size);
		if (at == NULL)
			return errno;
		// Fails in kernels before 4.14: a child that libc does not know of then records into its own copy.
		(void)madvise(at, sizeof(struct header), MADV_WIPEONFORK);
		__atomic_store_n(&cgoheap_region, at, __ATOMIC_RELEASE);
		cgoheap_mapped = size;
	}
	lay_out(cgoheap_region, size, sample_bytes);
	return 0;
}

// What was given away is what was written, unless the program has overwritten that number.
static uint64_t written(const struct header *h)
{
	uint64_t used = __atomic_load_n(&h->used, __ATOMIC_RELAXED);
	return used >= REGION_FILTER + REGION_FILTER_SLOTS && used <= cgoheap_mapped ? used : cgoheap_mapped;
}

void region_close(void)
{
	pages_clear(cgoheap_region, cgoheap_mapped, written(cgoheap_region));
}

static uint64_t reserve_lines(uint64_t size)
{
	struct header *h = cgoheap_region;
	uint64_t used = __atomic_load_n(&h->used, __ATOMIC_RELAXED), at;
	do {
		at = ALIGN(used, 64);
		if (size > h->size || at > h->size - size)
			return 0;
	} while (!__atomic_compare_exchange_n(&h->used, &used, at + size, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	return at;
}

#define CHUNK 1024

// Records smaller than a cache line are cut from chunks, or those between two larger ones would leave a gap before each.
// Of two threads that reserve a chunk at once, one finds the other's in its place, and its own stays unused.
static uint64_t reserve_small(uint32_t units)
{
	uint64_t *small = &cgoheap_region->small, seen = __atomic_load_n(small, __ATOMIC_RELAXED), at, left;
	do {
		at = seen >> 32;
		left = (uint32_t)seen;
		if (left < units) {
			at = reserve_lines(CHUNK) / 16;
			left = CHUNK / 16;
		}
		if (at == 0)
			return 0;
	} while (!__atomic_compare_exchange_n(small, &seen, (at + units) << 32 | (left - units), 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	return at * 16;
}

uint64_t region_reserve(uint64_t size)
{
	return size < 64 ? reserve_small((size + 15) / 16) : reserve_lines(size);
}

uint64_t cgoheap_counted(enum counter c)
{
	uint64_t n = __atomic_load_n(&cgoheap_region->counters[c], __ATOMIC_RELAXED);
	for (uint32_t i = 0; i < __atomic_load_n(&cgoheap_places, __ATOMIC_RELAXED); i++)
		n += __atomic_load_n(&place_at(i)->counters[c], __ATOMIC_RELAXED);
	return n;
}
