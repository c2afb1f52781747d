// Row look-up against a linear search.
#include "../../region.h"
#include "../../rows.h"
#include "check.h"

static void against_linear(void)
{
	enum { N = 1000 };
	check(region_open(16 << 20, 1) == 0);
	struct range r = {.start = 0x10000, .limit = 0x20000, .base = 0x11000, .rows = N};
	r.pcs = region_reserve(N * 4);
	r.rules = region_reserve(N * 2);
	r.set = region_reserve(N * sizeof(struct rule));
	uint32_t *pcs = region_at(r.pcs);
	uint16_t *rules = region_at(r.rules);
	for (uint32_t i = 0; i < N; i++) {
		pcs[i] = i == 0 ? 3 : pcs[i - 1] + 1 + i % 13;
		rules[i] = (uint16_t)(N - 1 - i);
	}
	for (uintptr_t pc = r.start; pc < r.limit; pc++) {
		long last = -1;
		for (long i = 0; i < N && r.base + pcs[i] <= pc; i++)
			last = i;
		const struct rule *got = range_rule(&r, pc);
		if (last < 0)
			check(got->cfa == CFA_NONE);
		else
			check(got == (struct rule *)region_at(r.set) + rules[last]);
	}
}

static void ranges(void)
{
	struct {
		struct index head;
		struct range ranges[3];
	} all = {{.count = 3, .go_module = 1}, {{.start = 10, .limit = 20}, {.start = 20, .limit = 25}, {.start = 40, .limit = 41}}};
	for (uintptr_t pc = 0; pc < 60; pc++) {
		const struct range *want = NULL;
		for (int i = 0; i < 3; i++)
			if (pc >= all.ranges[i].start && pc < all.ranges[i].limit)
				want = &all.ranges[i];
		check(index_find(&all.head, pc) == want);
	}
	struct index none = {0};
	check(index_find(&none, 5) == NULL);
}

// Three ranges of one rule per byte; twice as many addresses as the cache has places, each asked for three times.
static void cached(void)
{
	enum { N = 2 * CACHE_PLACES };
	check(region_open(16 << 20, 1) == 0);
	struct index *index = region_at(region_reserve(sizeof *index + 3 * sizeof(struct range)));
	*index = (struct index){.count = 3, .cache = region_reserve(CACHE_PLACES * sizeof(struct place))};
	for (int i = 0; i < 3; i++) {
		struct range r = {.start = 0x1000 + i * N, .base = 0x1000 + i * N, .rows = N / 3, .module = 60000 + i};
		r.limit = r.start + N / 3;
		r.pcs = region_reserve(N * 4);
		r.rules = region_reserve(N * 2);
		r.set = region_reserve(N * sizeof(struct rule));
		for (uint32_t k = 0; k < r.rows; k++) {
			((uint32_t *)region_at(r.pcs))[k] = k;
			((uint16_t *)region_at(r.rules))[k] = k;
		}
		index->ranges[i] = r;
	}
	for (int round = 0; round < 3; round++)
		for (uintptr_t pc = 0xf00; pc < 0x1000 + 3 * N; pc++) {
			uint32_t module = 1;
			const struct range *range = index_find(index, pc);
			const struct rule *got = index_look_up(index, pc, &module);
			check(got == (range == NULL ? NULL : range_rule(range, pc)));
			check(module == (range == NULL ? 0 : range->module));
		}
}

int main(void)
{
	run("the row of an address is the last at or before it", against_linear);
	run("the range of an address is the one that holds it", ranges);
	run("the cache answers as the search does", cached);
}
