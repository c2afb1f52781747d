//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

// The frames that nearly all of a stack of C is made of: a rule that says how far above sp, or fp, the return address and
// the caller's sp are, and perhaps where the caller's fp is saved. Each frame's address is found by the return address below
// it, so a walk is as fast as one look-up follows another. Nothing that the next one waits for goes through memory here,
// but the return address itself and what the cache knows of it.

#include "lookup.h"
#include "walk.h"

static inline bool load(struct walk *w, uintptr_t address, uintptr_t *value)
{
	if (!memory_near(&w->memory, address)) {
		uintptr_t far;
		if (!memory_load(&w->memory, address, &far))
			return false;
		*value = far;
		return true;
	}
	*value = *(const uintptr_t *)address;
	memory_note(&w->memory, address, *value);
	return true;
}

enum end walk_plain(struct walk *w)
{
	if (w->exact)
		return WALK_EMIT;
	uintptr_t pc = w->at.pc, sp = w->at.sp;
	struct place *cache = cache_of(w->index);
	uint64_t of_interest = w->stale ? FOUND_PLAIN | FOUND_CLOSABLE : FOUND_PLAIN;
	__asm__("" : "+r"(cache)); // one register, not the sum of two
	for (;;) {
		uintptr_t site = pc - 1;
		if (code_has(cgoheap_go.own.text, site))
			return WALK_ON;
		uint64_t found = cached(cache, site);
		if (found == 0)
			found = index_search(w->index, site, &w->memory);
		if ((found & of_interest) != FOUND_PLAIN)
			return WALK_EMIT;
		enum end end = walk_emit(w, walk_frame(site, found_module(found)));
		if (end != WALK_EMIT)
			return end;
		uintptr_t from = sp;
		if (found & FOUND_FROM_FP) {
			if (!walk_fp(w))
				return END_NO_FP;
			from = w->at.fp;
			if (from + plain_sp_above(found) <= sp)
				return END_BACKWARDS;
		}
		if (!load(w, from + plain_pc_above(found), &pc))
			return END_UNREADABLE;
		pc = unsigned_address(pc);
		sp = from + plain_sp_above(found);
		if (plain_fp_below(found) != 0)
			walk_fp_saved(w, sp - plain_fp_below(found));
		w->at.pc = pc;
		w->at.sp = sp;
		if (pc == 0)
			return END_ROOT;
	}
}
