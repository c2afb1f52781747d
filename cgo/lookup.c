//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

#include "lookup.h"

#include "cfi.h"
#include "waker.h"

static const struct rule no_rule;

// How many whole words bytes are, if that is 1 to most; otherwise 0.
static uint64_t words(int64_t bytes, uint64_t most)
{
	return bytes > 0 && bytes % 8 == 0 && (uint64_t)bytes / 8 <= most ? (uint64_t)bytes / 8 : 0;
}

uint64_t found_of_rule(const struct rule *r)
{
	if ((r->cfa != CFA_FROM_SP && r->cfa != CFA_FROM_FP) || (r->fp != FP_SAME && r->fp != FP_FROM_CFA))
		return 0;
	if (r->ra != RA_FROM_CFA || r->flags != 0)
		return 0;
	uint64_t sp = words(r->cfa_offset, UINT16_MAX);
	uint64_t pc = words((int64_t)r->cfa_offset + r->ra_offset, UINT16_MAX);
	uint64_t fp = r->fp == FP_SAME ? 0 : words(-(int64_t)r->fp_offset, 0x1fff);
	if (sp == 0 || pc == 0 || (fp == 0) != (r->fp == FP_SAME))
		return 0;
	return pc << 48 | sp << 32 | fp << (FOUND_BITS + 1) | (r->cfa == CFA_FROM_FP ? FOUND_FROM_FP : 0) | FOUND_PLAIN;
}

struct rule rule_of_found(uint64_t found)
{
	int32_t sp = plain_sp_above(found), pc = plain_pc_above(found), fp = plain_fp_below(found);
	return (struct rule){
		.cfa = found & FOUND_FROM_FP ? CFA_FROM_FP : CFA_FROM_SP,
		.fp = fp == 0 ? FP_SAME : FP_FROM_CFA,
		.cfa_offset = sp,
		.fp_offset = -fp,
		.ra_offset = pc - sp,
	};
}

// Finds the rule in memory, for a file that is never closed and has no rows yet. Go makes rows when that happens often.
static bool rule_in_memory(const struct range *range, uintptr_t pc, struct rule_buffer *buffer)
{
	struct image image = {range->data_start, range->data_limit, range->eh_frame_hdr, false, buffer->memory, !range->closable};
	if (range->eh_frame_hdr == 0)
		return false;
	if (__atomic_add_fetch(&cgoheap_region->asked, 1, __ATOMIC_RELAXED) == ROWS_WANTED)
		waker_look(WAKE_LOADED);
	if (!cfi_rule(&image, pc, &buffer->rule))
		buffer->rule = (struct rule){.cfa = CFA_UNKNOWN};
	return true;
}

static uint64_t finding(const struct range *range, uintptr_t pc, struct memory *m)
{
	uint64_t module = (uint64_t)range->module << 2 | (range->closable ? FOUND_CLOSABLE : 0);
	struct rule_buffer buffer = {.memory = m};
	if (rule_in_memory(range, pc, &buffer))
		return found_of_rule(&buffer.rule) | module;
	const struct rule *r = range_rule(range, pc);
	if (r == NULL)
		return module;
	uint64_t plain = found_of_rule(r);
	return (plain != 0 ? plain : (uint64_t)((const char *)r - (const char *)region_at(0)) << FOUND_BITS) | module;
}

uint64_t index_search(const struct index *index, uintptr_t pc, struct memory *m)
{
	const struct range *range = index_find(index, pc);
	if (range == NULL)
		return 0;
	uint64_t found = finding(range, pc, m);
	cache_put(cache_of(index), pc, found);
	return found;
}

// Returns the rule for pc if the found word does not hold it.
static const struct rule *by_range(const struct index *index, uintptr_t pc, struct rule_buffer *buffer)
{
	const struct range *range = index_find(index, pc);
	if (range == NULL)
		return NULL;
	return rule_in_memory(range, pc, buffer) ? &buffer->rule : range_rule(range, pc);
}

const struct rule *index_look_up(const struct index *index, uintptr_t pc, uint32_t *module, struct rule_buffer *buffer)
{
	uint64_t found = cached(cache_of(index), pc);
	if (found == 0)
		found = index_search(index, pc, buffer->memory);
	*module = found_module(found);
	if (found == 0)
		return NULL;
	if (found & FOUND_PLAIN) {
		const struct range *range = index_find(index, pc);
		if (range != NULL && range->eh_frame_hdr == 0)
			return range_rule(range, pc);
		if (range != NULL)
			return (buffer->rule = rule_of_found(found), &buffer->rule);
		*module = 0;
		return NULL;
	}
	if (found >> FOUND_BITS != 0)
		return region_at(found >> FOUND_BITS);
	const struct rule *r = by_range(index, pc, buffer);
	return r == NULL ? &no_rule : r;
}

const struct rule *index_rule(uintptr_t pc)
{
	static struct rule_buffer buffer;
	struct copy copy = {0};
	struct memory memory = {.copy = &copy};
	uint64_t index = __atomic_load_n(&cgoheap_region->index, __ATOMIC_ACQUIRE);
	uint32_t module;
	buffer.memory = &memory;
	const struct rule *r = index == 0 ? NULL : index_look_up(region_at(index), pc, &module, &buffer);
	memory_end(&memory);
	return r == NULL ? &no_rule : r;
}
