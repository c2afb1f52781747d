//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

// Walks the frames that make up nearly all of a C stack: their rule has the distances of the return address and the
// caller's sp from sp, or fp, and perhaps where the caller's fp is saved. Each look-up needs the return address that
// the previous one led to, so a walk is as fast as the chain of look-ups. Only two loads are in that chain: the return
// address and its cache entry.

#include "lookup.h"
#include "walk.h"

static inline bool load(struct walk *w, uintptr_t address, uintptr_t *value, bool noted)
{
	if (!memory_near(&w->memory, address)) {
		uintptr_t far;
		if (!memory_load(&w->memory, address, &far))
			return false;
		*value = far;
		return true;
	}
	*value = *(const uintptr_t *)address;
	if (noted)
		memory_note(&w->memory, address, *value);
	return true;
}

// walk_fp, for a register that is saved where words mostly lie.
static inline bool load_fp(struct walk *w, bool noted)
{
	uintptr_t at = w->fp_at;
	if (at == 0 || !memory_near(&w->memory, at))
		return walk_fp(w);
	w->fp_at = 0;
	return load(w, at, &w->at.fp, noted);
}

#define WALK_ASK ((enum end) - 3) // the frame at w->at is the first to be asked about

// Walks plain frames: if asked, with a call of knows for each, and otherwise up to asks_from. There is a copy of it for each.
static inline __attribute__((always_inline)) enum end walk_frames(struct walk *w, bool asked)
{
	uintptr_t pc = w->at.pc, sp = w->at.sp;
	struct cache_entry *cache = cache_of(w->index);
	uint64_t of_interest = w->stale ? FOUND_PLAIN | FOUND_CLOSABLE : FOUND_PLAIN;
	__asm__("" : "+r"(cache)); // one register, not the sum of two
	for (;;) {
		uintptr_t call_site = pc - 1;
		if (code_has(cgoheap_go.own.text, call_site))
			return WALK_ON;
		if (!asked && sp >= w->asks_from)
			return WALK_ASK;
		uint64_t found = cached(cache, call_site);
		if (found == 0)
			found = index_search(w->index, call_site, &w->memory);
		if ((found & of_interest) != FOUND_PLAIN)
			return WALK_EMIT;
		uint64_t frame = walk_frame(call_site, found_module(found));
		enum end end = asked ? walk_emit(w, frame) : walk_add(w, frame);
		if (end != WALK_EMIT)
			return end;
		uintptr_t from = sp;
		if (found & FOUND_FROM_FP) {
			if (!load_fp(w, asked))
				return END_NO_FP;
			from = w->at.fp;
			if (from + plain_sp_above(found) <= sp)
				return END_BACKWARDS;
		}
		if (!load(w, from + plain_pc_above(found), &pc, asked))
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

enum end walk_plain(struct walk *w)
{
	if (w->exact)
		return WALK_EMIT;
	enum end end = w->at.sp < w->asks_from ? walk_frames(w, false) : WALK_ASK;
	return end == WALK_ASK ? walk_frames(w, true) : end;
}
