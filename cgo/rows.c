//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

#include "rows.h"

#include "region.h"

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
		return NULL;
	size_t low = 0, left = range->rows; // the last row at or before pc lies in [low, low + left)
	while (left > 1) {
		size_t half = left / 2;
		low = pcs[low + half] <= at ? low + half : low;
		left -= half;
	}
	const uint16_t *rules = region_at(range->rules);
	return (const struct rule *)region_at(range->set) + rules[low];
}
