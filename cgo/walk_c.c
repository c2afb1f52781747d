//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

#include "walk.h"

#include "lookup.h"

static bool find_cfa(struct walk *w, const struct rule *r, uintptr_t *cfa)
{
	switch (r->cfa) {
	case CFA_FROM_SP:
		*cfa = w->at.sp + r->cfa_offset;
		return true;
	case CFA_FROM_FP:
		*cfa = w->at.fp + r->cfa_offset;
		return true;
	case CFA_PLT:
		*cfa = w->at.sp + r->cfa_offset + ((int32_t)(walk_call_site(w) & 15) >= r->cfa_extra ? 8 : 0);
		return true;
	case CFA_DEREF_SP:
	case CFA_DEREF_FP:
		if (!memory_load(&w->memory, (r->cfa == CFA_DEREF_SP ? w->at.sp : w->at.fp) + r->cfa_offset, cfa))
			return false;
		*cfa += r->cfa_extra;
		return true;
	default:
		return false;
	}
}

static bool needs_fp(const struct rule *r)
{
	return r->cfa == CFA_FROM_FP || r->cfa == CFA_DEREF_FP || r->fp == FP_FROM_FP;
}

// Notes where the caller's fp is.
static void find_fp(struct walk *w, const struct rule *r, uintptr_t cfa)
{
	switch (r->fp) {
	case FP_SAME:
		return;
	case FP_FROM_CFA:
		return walk_fp_saved(w, cfa + r->fp_offset);
	case FP_FROM_SP:
		return walk_fp_saved(w, w->at.sp + r->fp_offset);
	case FP_FROM_FP:
		return walk_fp_saved(w, w->at.fp + r->fp_offset);
	default:
		w->fp_at = 0;
		w->fp_known = w->fp_given = false;
	}
}

static bool find_pc(struct walk *w, const struct rule *r, uintptr_t cfa, uintptr_t *pc)
{
	if (r->ra == RA_FROM_LR) {
		*pc = w->lr;
		return true;
	}
	if (!memory_load(&w->memory, (r->ra == RA_FROM_SP ? w->at.sp : cfa) + r->ra_offset, pc))
		return false;
	*pc = unsigned_address(*pc);
	return true;
}

// Whether the rule can recover the caller. A link register is lost with the first call that its function makes.
static bool expresses(const struct walk *w, const struct rule *r)
{
	return r->cfa != CFA_UNKNOWN && r->ra != RA_UNKNOWN && (r->ra != RA_FROM_LR || w->exact);
}

static enum end step_by_rule(struct walk *w, const struct rule *r)
{
	uintptr_t cfa, pc;
	if (r->ra == RA_UNDEFINED)
		return END_ROOT;
	if (!expresses(w, r))
		return END_INEXPRESSIBLE;
	if (needs_fp(r) && !walk_fp(w))
		return END_NO_FP;
	if (!find_cfa(w, r, &cfa))
		return END_UNREADABLE;
	// A caller's frame is above its callee's, except across a signal, which may have come on a stack of its own. Only a
	// function that has saved nothing yet, not even the link register, has no frame.
	bool signal = r->flags & FLAG_SIGNAL_FRAME;
	if (cfa < w->at.sp + (r->ra != RA_FROM_LR) && !signal)
		return END_BACKWARDS;
	if (!find_pc(w, r, cfa, &pc))
		return END_UNREADABLE;
	find_fp(w, r, cfa);
	w->at.pc = pc;
	w->at.sp = cfa;
	w->exact = signal;
	return pc == 0 ? END_ROOT : WALK_ON;
}

#define LARGEST_FRAME (1 << 20)

// Whether fp may point to the frame of the function at sp: it is not far above sp and, if the end of the stack is
// known, below that.
static bool may_be_frame(const struct walk *w, uintptr_t fp)
{
	const struct memory *m = &w->memory;
	if (fp < w->at.sp || fp - w->at.sp > LARGEST_FRAME)
		return false;
	return !m->own || !memory_near(m, w->at.sp) || fp < m->hi;
}

// Steps without unwind data: only if the frame pointer lies above sp and the return address follows a call. A wrong
// frame is worse than a missing one.
static enum end step_by_fp(struct walk *w)
{
	uintptr_t pc, fp, next;
	if (!walk_fp(w))
		return END_NO_UNWIND;
	fp = w->at.fp;
	if (!may_be_frame(w, fp))
		return END_NO_UNWIND;
	if (!memory_load(&w->memory, fp, &next) || !memory_load(&w->memory, fp + 8, &pc))
		return END_NO_UNWIND;
	pc = unsigned_address(pc);
	if (pc != 0 && !walk_may_return_to(w, pc))
		return END_NO_UNWIND;
	w->at = (struct registers){pc, fp + 16, next};
	w->exact = w->fp_given = false;
	return pc == 0 ? END_ROOT : WALK_ON;
}

// Whether the code was made at run time: it is in no module although all libraries are known.
static bool is_made(const struct walk *w, const struct rule *r, uint32_t module)
{
	return module == MODULE_MADE || (r == NULL && module == 0 && loads_none_since(&w->index->loads));
}

// Code made at run time may keep a frame pointer. A return address of 0 does not prove there that the stack ends.
static enum end step_in_made(struct walk *w)
{
	if (walk_signal(w))
		return WALK_ON;
	enum end end = step_by_fp(w);
	return end == WALK_ON ? WALK_ON : END_NO_FILE;
}

static enum end step_without_rule(struct walk *w, uint32_t module)
{
	enum end end = walk_new_go(w, module);
	return end == END_NO_UNWIND ? step_by_fp(w) : end;
}

static enum end step(struct walk *w, const struct rule *r, uint32_t module)
{
	// Code of a library that is not known yet probably has unwind data and no frame pointer; the register then holds
	// its caller's.
	if (r == NULL)
		return walk_signal(w) ? WALK_ON : END_NO_MODULE;
	if ((r->cfa == CFA_NONE || (r->flags & FLAG_SIGNAL_FRAME)) && walk_signal(w))
		return WALK_ON;
	if (r->cfa == CFA_NONE)
		return step_without_rule(w, module);
	return step_by_rule(w, r);
}

// Whether the return address was put there to start a function, as makecontext does: it does not follow a call, the
// code before it is not the function's, and no frame lies above it on the stack.
static bool begins_function(struct walk *w, const struct rule *r)
{
	uint32_t module;
	if (w->exact || r == NULL || r->cfa != CFA_NONE || walk_follows_call(w, w->at.pc))
		return false;
	struct rule kept = w->buffer.rule; // r may lie there
	const struct rule *first = walk_look_up(w, w->at.pc, &module);
	bool begins = first != NULL && first->cfa != CFA_NONE;
	w->buffer.rule = kept;
	return begins;
}

enum end walk_c(struct walk *w)
{
	enum end end;
	do {
		end = walk_plain(w);
		if (end != WALK_EMIT)
			return end;
		uint32_t module;
		uintptr_t call_site = walk_call_site(w);
		if (walk_find_go(w))
			return WALK_ON;
		const struct rule *r = walk_look_up(w, call_site, &module);
		bool made = is_made(w, r, module);
		bool begins = !made && begins_function(w, r);
		if (made)
			module = MODULE_MADE;
		end = walk_emit(w, walk_frame(begins ? w->at.pc : call_site, module));
		if (end != WALK_EMIT)
			return end;
		if (begins)
			return END_ROOT;
		end = made ? step_in_made(w) : step(w, r, module);
	} while (end == WALK_ON);
	return end;
}
