// Row look-up against a linear search.
#include "../../layout.h"
#include "../../region.h"
#include "../../rows.h"
#include "check.h"

static void against_linear(void)
{
	enum { N = 1000 };
	check(layout_open(NULL, 16 << 20, 1) == 0);
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
			check(got == NULL);
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

int main(void)
{
	run("the row of an address is the last at or before it", against_linear);
	run("the range of an address is the one that holds it", ranges);
}
