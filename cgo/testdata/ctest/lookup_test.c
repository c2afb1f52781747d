// Compares the cached form of a rule with the rule, and look-up through the cache with the search.
#include <string.h>

#include "../../layout.h"
#include "../../lookup.h"
#include "../../region.h"
#include "check.h"

static struct rule_buffer buffer;

// Three ranges of one rule per byte; twice as many addresses as the cache has entries, each looked up three times.
static void remembered(void)
{
	enum { N = 2 * CACHE_ENTRIES };
	check(layout_open(NULL, 16 << 20, 1) == 0);
	struct index *index = region_at(region_reserve(sizeof *index + 3 * sizeof(struct range)));
	*index = (struct index){.count = 3, .cache = region_reserve(CACHE_ENTRIES * sizeof(struct cache_entry))};
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
			const struct rule *got = index_look_up(index, pc, &module, &buffer);
			check(got == (range == NULL ? NULL : range_rule(range, pc)));
			check(module == (range == NULL ? 0 : range->module));
		}
}

enum { OFFSETS = 13, KINDS = 7 * 5 * 5 * 2 };

static const int32_t offsets[OFFSETS] = {0, 8, -8, 16, -16, 12, 8 * 0x1fff, -8 * 0x1fff, -8 * 0x2000, 8 * 0xffff, 8 * 0x10000,
					 INT32_MAX, INT32_MIN};

// The found word for the only rule of a module of one byte, which may be unloaded if its number is odd.
static uint64_t found_for(const struct rule *r, uint16_t module)
{
	static struct index *index;
	static struct range *range;
	if (index == NULL) {
		index = region_at(region_reserve(sizeof *index + sizeof *range));
		*index = (struct index){.count = 1, .cache = region_reserve(CACHE_ENTRIES * sizeof(struct cache_entry))};
		range = &index->ranges[0];
		*range = (struct range){.start = 0x1000, .limit = 0x1001, .base = 0x1000, .rows = 1};
		range->pcs = region_reserve(4);
		range->rules = region_reserve(2);
		range->set = region_reserve(sizeof *r);
	}
	range->module = module;
	range->closable = module % 2;
	*(struct rule *)region_at(range->set) = *r;
	uint64_t found = index_search(index, 0x1000, NULL);
	uint32_t of;
	check(cached(cache_of(index), 0x1000) == found);
	check(memcmp(index_look_up(index, 0x1000, &of, &buffer), r, sizeof *r) == 0 && of == module);
	return found;
}

static bool may_be_plain(const struct rule *r)
{
	return (r->cfa == CFA_FROM_SP || r->cfa == CFA_FROM_FP) && r->ra == RA_FROM_CFA && r->flags == 0 && (r->fp == FP_SAME || r->fp == FP_FROM_CFA);
}

static void check_plain(const struct rule *r, uint64_t found)
{
	check(may_be_plain(r));
	check(!(found & FOUND_FROM_FP) == (r->cfa == CFA_FROM_SP));
	check((int64_t)plain_sp_above(found) == r->cfa_offset);
	check((int64_t)plain_pc_above(found) == (int64_t)r->cfa_offset + r->ra_offset);
	check(-(int64_t)plain_fp_below(found) == (r->fp == FP_SAME ? 0 : r->fp_offset));
}

// Every kind of rule with every combination of offsets at the bounds.
static void plain(void)
{
	enum { ALL = OFFSETS * OFFSETS * OFFSETS };
	check(layout_open(NULL, 16 << 20, 1) == 0);
	for (int k = 0; k < KINDS; k++)
		for (int i = 0; i < ALL; i++) {
			struct rule r = {.cfa = k % 7, .fp = k / 7 % 5, .ra = k / 35 % 5, .flags = k / 175};
			r.cfa_offset = offsets[i % OFFSETS];
			r.fp_offset = offsets[i / OFFSETS % OFFSETS];
			r.ra_offset = offsets[i / OFFSETS / OFFSETS];
			uint64_t found = found_for(&r, 1 + i);
			check(found_module(found) == 1u + i);
			check((found & FOUND_CLOSABLE) == (i % 2 == 0 ? FOUND_CLOSABLE : 0));
			if (found & FOUND_PLAIN)
				check_plain(&r, found);
		}
	check(found_for(&(struct rule){CFA_FROM_SP, FP_SAME, RA_FROM_CFA, 0, 16, 0, 0, -8}, 1) & FOUND_PLAIN);
	check(found_for(&(struct rule){CFA_FROM_SP, FP_FROM_CFA, RA_FROM_CFA, 0, 48, 0, -16, -8}, 1) & FOUND_PLAIN);
	check(found_for(&(struct rule){CFA_FROM_FP, FP_FROM_CFA, RA_FROM_CFA, 0, 16, 0, -16, -8}, 1) & FOUND_PLAIN);
}

int main(void)
{
	run("the cache answers as the search does", remembered);
	run("what a plain rule says is all in the cache", plain);
}
