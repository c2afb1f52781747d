// Single steps of a walk, by rules that the test makes up.
#include <string.h>

#include "../../layout.h"
#include "../../lookup.h"
#include "../../region.h"
#include "../../walk.h"
#include "check.h"
#include "code.h"

enum { CODE = 0x10000, MADE = 0x20000, FUNCTION = 64 }; // none of it can be read

// None of the rules is plain: fp is saved relative to itself.
static const struct rule rules[] = {
	{.cfa = CFA_FROM_SP, .cfa_offset = 8, .ra = RA_UNDEFINED},
	{.cfa = CFA_FROM_FP, .cfa_offset = 16, .ra_offset = -8, .fp = FP_FROM_FP},
	{.cfa = CFA_FROM_FP, .cfa_offset = 16, .ra_offset = -8, .fp = FP_FROM_FP, .flags = FLAG_SIGNAL_FRAME},
	{.cfa = CFA_NONE},
};
enum { RULES = sizeof rules / sizeof *rules, WITHOUT_DATA = RULES - 1 };

static uintptr_t words[64];
static _Alignas(8) uint8_t library[2 * FUNCTION]; // which the tests fill

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
	struct index *index = region_at(region_reserve(sizeof *index + 3 * sizeof(struct range)));
	for (int i = 0; i < RULES; i++) {
		pcs[i] = i * FUNCTION;
		numbers[i] = i;
	}
	*index = (struct index){.count = 3, .cache = region_reserve(CACHE_ENTRIES * sizeof(struct cache_entry))};
	index->ranges[0] = (struct range){.start = CODE, .limit = CODE + RULES * FUNCTION, .base = CODE, .rows = RULES,
					  .pcs = reserve(pcs, sizeof pcs), .rules = reserve(numbers, sizeof numbers),
					  .set = reserve(rules, sizeof rules)};
	index->ranges[1] = (struct range){.start = MADE, .limit = MADE + FUNCTION, .base = MADE, .module = MODULE_MADE};
	index->ranges[2] = (struct range){.start = (uintptr_t)library, .limit = (uintptr_t)library + sizeof library,
					  .base = (uintptr_t)library, .rows = 1, .pcs = reserve(pcs, sizeof *pcs),
					  .rules = reserve(numbers, sizeof *numbers), .set = reserve(rules, sizeof *rules)};
	cgoheap_region->index = (char *)index - (char *)region_at(0);
}

// From function with sp at a word and fp at another, where a record returns to an address, and from there to the root.
static enum end walk_from(uint32_t function, int sp, int fp, uintptr_t to)
{
	uint64_t frames[16];
	struct registers caller = {return_to(function), (uintptr_t)&words[sp], (uintptr_t)&words[fp]};
	static struct thread thread;
	static struct copy copy;
	struct walk w;
	walk_begin(&w, &caller, frames, 16);
	memset(words, 0, sizeof words);
	words[fp] = (uintptr_t)&words[fp];
	words[fp + 1] = to;
	walk_by_current(&w);
	w.memory = (struct memory){.thread = &thread, .lo = (uintptr_t)words, .hi = (uintptr_t)words + sizeof words, .copy = &copy};
	return walk(&w);
}

static enum end walk_at(uint32_t function, int sp, int fp)
{
	return walk_from(function, sp, fp, return_to(0));
}

static void above(void)
{
	check(layout_open(NULL, 16 << 20, 1) == 0);
	publish();
	check(walk_at(1, 20, 20) == END_ROOT && walk_at(1, 20, 40) == END_ROOT);
	check(walk_at(1, 20, 18) == END_BACKWARDS); // the caller's sp would be the callee's
	check(walk_at(1, 20, 17) == END_BACKWARDS && walk_at(1, 20, 2) == END_BACKWARDS);
	check(walk_at(2, 20, 2) == END_ROOT); // a signal came on a stack of its own
	region_close();
}

// Code without unwind data is left by its frame pointer if the return address follows a call. Where that cannot be read, it
// is believed of libraries, and not of code that was made at run time.
static void calls(void)
{
	uint8_t *to = library + FUNCTION;
	check(layout_open(NULL, 16 << 20, 1) == 0);
	publish();
	check(walk_from(WITHOUT_DATA, 20, 40, return_to(1)) == END_BACKWARDS); // the record is its own caller's
	check(walk_from(WITHOUT_DATA, 20, 40, MADE + 32) == END_NO_UNWIND);
	check(walk_from(WITHOUT_DATA, 20, 40, code_at(to, false)) == END_NO_UNWIND);
	check(walk_from(WITHOUT_DATA, 20, 40, code_at(to, true)) == END_ROOT);
	region_close();
}

int main(void)
{
	run("a caller's frame is above its callee's, except across a signal", above);
	run("a return address follows a call, or may", calls);
}
