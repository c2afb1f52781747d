//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

#include "rows.h"

#include "region.h"

static const struct rule no_rule;

const struct range *index_find(const struct index *index, uintptr_t pc)
{
	size_t low = 0, high = index->count; // ranges[low - 1].start <= pc < ranges[high].start
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (index->ranges[middle].start <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0 || pc >= index->ranges[low - 1].limit)
		return NULL;
	return &index->ranges[low - 1];
}

const struct rule *range_rule(const struct range *range, uintptr_t pc)
{
	uint64_t at = pc - range->base;
	const uint32_t *pcs = region_at(range->pcs);
	if (range->rows == 0 || pc < range->base || at < pcs[0] || at > UINT32_MAX)
		return &no_rule;
	size_t low = 0, left = range->rows; // the last row at or before pc lies in [low, low + left)
	while (left > 1) {
		size_t half = left / 2;
		low = pcs[low + half] <= at ? low + half : low;
		left -= half;
	}
	const uint16_t *rules = region_at(range->rules);
	return (const struct rule *)region_at(range->set) + rules[low];
}

// The cache remembers for a code address its rule, as an offset, and its module. Recorders read and write it at once, so
// the key is stored as the difference (exclusive or) of the address and what was found: two halves of different places do
// not fit, and are a miss. It belongs to its index, so a place never speaks of modules of another time.
#define MODULE_BITS 16

static struct place *place_of(const struct index *index, uintptr_t pc)
{
	return (struct place *)region_at(index->cache) + (pc * 0x9e3779b97f4a7c15ULL >> 53) % CACHE_PLACES;
}

static const struct rule *search(const struct index *index, uintptr_t pc, struct place *p, uint32_t *module)
{
	const struct range *range = index_find(index, pc);
	if (range == NULL) {
		*module = 0;
		return NULL;
	}
	*module = range->module;
	const struct rule *r = range_rule(range, pc);
	if (r == &no_rule)
		return r;
	uint64_t found = (uint64_t)((const char *)r - (const char *)region_at(0)) << MODULE_BITS | range->module;
	__atomic_store_n(&p->found, found, __ATOMIC_RELAXED);
	__atomic_store_n(&p->key, pc ^ found, __ATOMIC_RELAXED);
	return r;
}

const struct rule *index_look_up(const struct index *index, uintptr_t pc, uint32_t *module)
{
	struct place *p = place_of(index, pc);
	uint64_t found = __atomic_load_n(&p->found, __ATOMIC_RELAXED);
	if (found == 0 || (__atomic_load_n(&p->key, __ATOMIC_RELAXED) ^ found) != pc)
		return search(index, pc, p, module);
	*module = found & ((1 << MODULE_BITS) - 1);
	return region_at(found >> MODULE_BITS);
}

const struct rule *index_rule(uintptr_t pc)
{
	uint64_t index = __atomic_load_n(&cgoheap_region->index, __ATOMIC_ACQUIRE);
	uint32_t module;
	const struct rule *r = index == 0 ? NULL : index_look_up(region_at(index), pc, &module);
	return r == NULL ? &no_rule : r;
}
