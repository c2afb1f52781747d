//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

#include "region.h"

#include <errno.h>
#include <sys/mman.h>

#include "pages.h"

struct header *cgoheap_region;
uint64_t cgoheap_mapped;

int region_map(uint64_t size)
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
	return 0;
}

// The bytes that may have been written: those handed out, unless the program has overwritten that number.
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
		at = REGION_ALIGN(used, 64);
		if (size > h->size || at > h->size - size)
			return 0;
	} while (!__atomic_compare_exchange_n(&h->used, &used, at + size, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	return at;
}

// Records are cut from chunks, each size from chunks of its own. A sample reads one record of each kind, so records of
// one kind then lie on few pages. And small records leave no unused space before larger ones. If two threads reserve a
// chunk at once, one finds the other's already linked, and its own stays unused.
static uint64_t reserve_from(uint64_t *chunk, uint32_t chunk_bytes, uint32_t units)
{
	uint64_t seen = __atomic_load_n(chunk, __ATOMIC_RELAXED), at, left;
	do {
		at = seen >> 32;
		left = (uint32_t)seen;
		if (left < units) {
			at = reserve_lines(chunk_bytes) / 16;
			left = chunk_bytes / 16;
		}
		if (at == 0)
			return 0;
	} while (!__atomic_compare_exchange_n(chunk, &seen, (at + units) << 32 | (left - units), 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	return at * 16;
}

uint64_t region_reserve(uint64_t size)
{
	uint64_t lines = (size + 63) / 64;
	if (size < 64)
		return reserve_from(&cgoheap_region->chunks[0], 1024, (uint32_t)(size + 15) / 16);
	uint64_t at = lines < REGION_CHUNKS ? reserve_from(&cgoheap_region->chunks[lines], 16384, (uint32_t)lines * 4) : 0;
	return at != 0 ? at : reserve_lines(size); // near the end there is no room for a chunk
}
