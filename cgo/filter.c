//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

// The filter answers nearly every free: a counter per 256 bytes of the program's heap (modulo 256 MiB of address
// space) says how many sampled blocks begin there. Neighbouring blocks share a counter and 16 KiB of heap a cache line,
// so that it stays in the cache where a hash of the address would not. It counts down again, so it cannot decay.
//
// A counter sticks at 255, which always means "there may be blocks". It sticks when it would have to count more than
// 253. If every block is sampled, it sticks at the first one: then there is nothing to filter, and not counting costs less.
//
// Stuck counters are recounted once blocks are sampled more rarely (filter_mark, settle, filter_recount). A counter to be
// recounted is marked, and a recorder that changes its granule makes it stuck again. After the settle all recorders see
// the marks. If a mark then lasts until the blocks of its granule have been counted in the table, the granule has not
// changed meanwhile: the count is exact, and a compare-and-swap replaces the mark with it. A counter must never be lower
// than the number of sampled blocks in use in its granule, because free reads it without entering the gate, at any moment.

#include "filter.h"

#include "pages.h"

static void note_stuck(void)
{
	if (__atomic_load_n(&cgoheap_region->filter_stuck, __ATOMIC_SEQ_CST) == 0)
		__atomic_store_n(&cgoheap_region->filter_stuck, 1, __ATOMIC_SEQ_CST);
}

static bool everything_sampled(void)
{
	return __atomic_load_n(&cgoheap_region->sample_bytes, __ATOMIC_RELAXED) == 1;
}

static uint8_t changed(uint8_t seen, int n)
{
	bool counts = seen < FILTER_RECOUNTED && seen + n < FILTER_RECOUNTED && !(n > 0 && everything_sampled());
	return counts ? seen + n : FILTER_STUCK;
}

void filter_change(uintptr_t p, int n)
{
	uint8_t *slot = filter_slot(p), seen = __atomic_load_n(slot, __ATOMIC_RELAXED), next;
	do {
		if (seen == FILTER_STUCK)
			return;
		next = changed(seen, n);
	} while (!__atomic_compare_exchange_n(slot, &seen, next, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
	if (next == FILTER_STUCK)
		note_stuck();
}

bool filter_mark(void)
{
	if (everything_sampled() || __atomic_exchange_n(&cgoheap_region->filter_stuck, 0, __ATOMIC_SEQ_CST) == 0)
		return false;
	uint8_t *filter = region_at(REGION_FILTER);
	for (uint64_t i = 0; i < REGION_FILTER_SLOTS; i++)
		if (__atomic_load_n(&filter[i], __ATOMIC_RELAXED) == FILTER_STUCK) // only we change it then
			__atomic_store_n(&filter[i], FILTER_RECOUNTED, __ATOMIC_RELAXED);
	return true;
}

static void replace_marks(const uint8_t *counts)
{
	uint8_t *filter = region_at(REGION_FILTER);
	for (uint64_t i = 0; i < REGION_FILTER_SLOTS; i++) {
		uint8_t mark = FILTER_RECOUNTED, count = counts[i] < FILTER_RECOUNTED ? counts[i] : FILTER_STUCK;
		if (__atomic_load_n(&filter[i], __ATOMIC_RELAXED) != mark)
			continue;
		if (count == FILTER_STUCK)
			note_stuck();
		__atomic_compare_exchange_n(&filter[i], &mark, count, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	}
}

void filter_recount(bool settled, void (*count_blocks)(uint8_t *counts))
{
	uint8_t *counts = settled ? pages_map(REGION_FILTER_SLOTS) : NULL;
	if (counts == NULL) {
		note_stuck(); // the marks stay until the next recount
		return;
	}
	count_blocks(counts);
	replace_marks(counts);
	pages_unmap(counts, REGION_FILTER_SLOTS);
}
