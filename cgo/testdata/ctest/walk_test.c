// Single steps of a walk, by rules that the test makes up.
#include <string.h>

#include "../../layout.h"
#include "../../lookup.h"
#include "../../region.h"
#include "../../walk.h"
#include "check.h"

enum { CODE = 0x10000, FUNCTION = 64 };

// None of the rules is plain: fp is saved relative to itself.
static const struct rule rules[] = {
	{.cfa = CFA_FROM_SP, .cfa_offset = 8, .ra = RA_UNDEFINED},
	{.cfa = CFA_FROM_FP, .cfa_offset = 16, .ra_offset = -8, .fp = FP_FROM_FP},
	{.cfa = CFA_FROM_FP, .cfa_offset = 16, .ra_offset = -8, .fp = FP_FROM_FP, .flags = FLAG_SIGNAL_FRAME},
};
enum { RULES = sizeof rules / sizeof *rules };

static uintptr_t words[64];

static uintptr_t return_to(uint32_t function)
{
	return CODE + function * FUNCTION + 4;
}

static uint64_t reserve(const void *from, size_t size)
{
	uint64_t at = region_reserve(size);
	memcpy(region_at(at), from, size);
	return at;
}

static void publish(void)
{
	uint32_t pcs[RULES];
	uint16_t numbers[RULES];
	struct index *index = region_at(region_reserve(sizeof *index + sizeof(struct range)));
	for (int i = 0; i < RULES; i++) {
		pcs[i] = i * FUNCTION;
		numbers[i] = i;
	}
	*index = (struct index){.count = 1, .cache = region_reserve(CACHE_ENTRIES * sizeof(struct cache_entry))};
	index->ranges[0] = (struct range){.start = CODE, .limit = CODE + RULES * FUNCTION, .base = CODE, .rows = RULES,
					  .pcs = reserve(pcs, sizeof pcs), .rules = reserve(numbers, sizeof numbers),
					  .set = reserve(rules, sizeof rules)};
	cgoheap_region->index = (char *)index - (char *)region_at(0);
}

// From function with sp at a word and fp at another, where a record leads to the root.
static enum end walk_at(uint32_t function, int sp, int fp)
{
	uint64_t frames[16];
	struct registers caller = {return_to(function), (uintptr_t)&words[sp], (uintptr_t)&words[fp]};
	static struct thread thread;
	struct walk w = walk_of(&caller, frames, 16);
	memset(words, 0, sizeof words);
	words[fp] = (uintptr_t)&words[fp];
	words[fp + 1] = return_to(0);
	walk_by_current(&w);
	w.memory = (struct memory){.thread = &thread, .lo = (uintptr_t)words, .hi = (uintptr_t)words + sizeof words};
	return walk(&w);
}

static void above(void)
{
	check(layout_open(16 << 20, 1) == 0);
	publish();
	check(walk_at(1, 20, 20) == END_ROOT && walk_at(1, 20, 40) == END_ROOT);
	check(walk_at(1, 20, 18) == END_BACKWARDS); // the caller's sp would be the callee's
	check(walk_at(1, 20, 17) == END_BACKWARDS && walk_at(1, 20, 2) == END_BACKWARDS);
	check(walk_at(2, 20, 2) == END_ROOT); // a signal came on a stack of its own
	region_close();
}

int main(void)
{
	run("a caller's frame is above its callee's, except across a signal", above);
}
