//go:build linux && amd64 && cgo && !asan && !msan

// Go frames, by frame pointer: {caller's fp, return address} at each fp.
//
// Go calls C through runtime.asmcgocall, on the thread's system stack. The goroutine's stack may move while C runs (a
// callback can grow it), so nothing that C saved points into it reliably, least of all BP. asmcgocall itself keeps two
// words just above the return address of the call into C, because it must find its way back too:
//
//	sp → g.stack.hi − SP of asmcgocall     (without a goroutine: SP itself)
//	     g                                 (without a goroutine: 0)
//
// g begins with stack.lo and stack.hi, and at that SP lies asmcgocall's frame. Where the call goes through
// runtime.asmcgocall_landingpad, that jumps on and leaves no frame. Source: runtime/asm_amd64.s.
//
// C calls Go through crosscall2, which saves C's registers and calls runtime.cgocallback, whose frame stays on the system
// stack: the frame pointer leads there from the goroutine, and on to crosscall2's frame. That one is double: the
// assembler pushes BP and crosscall2 saves it again just below, so that what stands above the lower record is the upper
// one, not a return address. Source: runtime/cgo/asm_amd64.s and abi_amd64.h.

#include "walk.h"

struct g {
	uintptr_t lo, hi;
};

static bool goroutine_stack(struct walk *w, uintptr_t at, uintptr_t depth)
{
	struct thread *t = w->memory.thread;
	if (at % 8 != 0 || (at != t->goroutine && !(page_readable(at) && page_readable(at + 8))))
		return false;
	const struct g *g = (const struct g *)at;
	if (g->hi <= g->lo || g->hi % 8 != 0 || depth > g->hi - g->lo || depth % 8 != 0 || depth < 16)
		return false;
	t->goroutine = at;
	if (w->goroutine == 0)
		w->goroutine = at;
	w->memory.go_lo = g->lo;
	w->memory.go_hi = g->hi;
	w->at.fp = g->hi - depth;
	return true;
}

// At the return from C into asmcgocall, with sp at the two saved words: fp becomes that of asmcgocall's frame.
static bool join(struct walk *w)
{
	uintptr_t depth, g;
	if (!memory_load(&w->memory, w->at.sp, &depth) || !memory_load(&w->memory, w->at.sp + 8, &g))
		return false;
	if (g != 0)
		return goroutine_stack(w, g, depth);
	w->at.fp = depth;
	return true;
}

static enum end enter_go(struct walk *w)
{
	if (!code_has(cgoheap_go.asmcgocall, walk_site(w)))
		return w->fp_known ? WALK_ON : END_GO_FRAME; // Go code that called C itself, on a system stack
	if (!cgoheap_go.joined)
		return END_NO_JOIN;
	return join(w) ? WALK_ON : END_GO_FRAME;
}

// crosscall2 is the caller: fp becomes that of its upper record.
static bool skip_lower_record(struct walk *w)
{
	uintptr_t above;
	if (!memory_load(&w->memory, w->at.fp, &above))
		return false;
	if (above == w->at.fp + 8)
		w->at.fp = above;
	return true;
}

static bool is_go(const struct walk *w)
{
	return code_has(cgoheap_go.text, walk_site(w));
}

// One frame up: fp holds {caller's fp, return address}.
static enum end step(struct walk *w)
{
	uintptr_t fp = w->at.fp, next, pc;
	if (!memory_load(&w->memory, fp, &next) || !memory_load(&w->memory, fp + 8, &pc))
		return END_GO_FRAME;
	bool on_goroutine = fp >= w->memory.go_lo && fp < w->memory.go_hi;
	if (next != 0 && next <= fp && on_goroutine && next >= w->memory.go_lo)
		return END_BACKWARDS;
	w->at = (struct registers){pc, fp + 16, next};
	w->exact = false;
	w->fp_known = true;
	return pc == 0 ? END_ROOT : WALK_ON;
}

enum end walk_go(struct walk *w)
{
	enum end end = enter_go(w);
	while (end == WALK_ON) {
		if (!walk_emit(w, walk_site(w), w->index->go_module))
			return END_DEPTH;
		if (w->at.fp == 0)
			return END_ROOT;
		if (code_has(cgoheap_go.crosscall2, walk_site(w)) && !skip_lower_record(w))
			return END_GO_FRAME;
		end = step(w);
		if (end == WALK_ON && !is_go(w))
			return WALK_ON;
	}
	return end;
}
