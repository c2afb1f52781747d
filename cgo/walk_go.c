//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

// Go frames, by frame pointer: {caller's fp, return address} at each fp.
//
// Go calls C through runtime.asmcgocall, on the thread's system stack. The goroutine's stack may move while C runs (a
// callback can grow it), so nothing that C saved points into it reliably, least of all the frame pointer. asmcgocall
// itself keeps two words where its call into C returns to, because it must find its way back too: g, which begins with
// stack.lo and stack.hi, and how far below stack.hi its own SP is.
//
// C calls Go through crosscall2, which saves C's registers and calls runtime.cgocallback, whose frame stays on the system
// stack: the frame pointer leads there from the goroutine, and on to crosscall2's frame.
//
// A plugin has copies of these functions, which its own calls to C go through; a callback enters through the program's
// crosscall2 or the plugin's. So a struct go_code holds each text range and its copies of the functions, and a walk
// goes from one to another.
//
// The runtime's own threads begin at mstart. C code calls it, whose frame pointer may be anything: only since Go 1.26 does
// mstart set it to 0.
//
// Where the words and the frames lie depends on the machine: walk_go_amd64.h, walk_go_arm64.h.
//
// A walk that was misled may take any two words for what asmcgocall saved. So a g is verified before its stack is: it
// leads to an m, which leads to its g0, which is another g, leads to the same m, and has the bounds of the system stack that
// asmcgocall runs on. A doubly linked list passes every check except the last. Go does not know how far down the first
// thread's stack reaches without /proc, without a limit, or with musl. So it is enough that the stack's end is on the
// thread's own stack.
//
// Go never unmaps the g of a goroutine, nor its stack, and never uses a g's memory for anything else. So a g needs to
// be verified only once. The g0 of a thread that ended may be unmapped, but asmcgocall never saves a g0.

#include "walk_go.h"

struct g {
	uintptr_t lo, hi;
};

#define KNOWN 512
#define LARGEST_STACK (1ULL << 40)

static uintptr_t known[KNOWN]; // gs that were verified

static uintptr_t *memo_of_g(uintptr_t g)
{
	return &known[g / 64 * 0x9e3779b97f4a7c15ULL >> 55];
}

// Whether sp is on the stack of a g0, whose end is at sp or above.
static bool on_stack_of(struct memory *m, uintptr_t g0, uintptr_t sp)
{
	struct g of;
	if (!memory_load_copy(m, g0, &of.lo) || !memory_load_copy(m, g0 + offsetof(struct g, hi), &of.hi) || sp > of.hi)
		return false;
	bool ends_on_own = m->own && sp >= m->lo && of.hi <= m->hi;
	return ends_on_own || (of.lo < sp && of.hi - of.lo < LARGEST_STACK);
}

static bool verify(struct memory *m, uintptr_t g, uintptr_t sp)
{
	uintptr_t of_g, g0, of_g0;
	uint32_t offset = cgoheap_go.m_offset;
	return memory_load_copy(m, g + offset, &of_g) && memory_load_copy(m, of_g, &g0) && g0 != g &&
	       memory_load_copy(m, g0 + offset, &of_g0) && of_g0 == of_g && on_stack_of(m, g0, sp);
}

static bool is_g(struct walk *w, uintptr_t at)
{
	uintptr_t *memo = memo_of_g(at);
	if (__atomic_load_n(memo, __ATOMIC_RELAXED) == at)
		return true;
	if (at == 0 || !verify(&w->memory, at, w->at.sp))
		return false;
	__atomic_store_n(memo, at, __ATOMIC_RELAXED);
	return true;
}

// Reads a g's bounds. If no g can be verified, the kernel copies its words and its stack.
static bool read_g(struct walk *w, uintptr_t at, struct g *g)
{
	if (cgoheap_go.m_offset == 0) {
		w->memory.unfit = true;
		return memory_copy(&w->memory, at, g, sizeof *g);
	}
	if (!is_g(w, at))
		return false;
	*g = *(const struct g *)at;
	memory_note(&w->memory, at, g->lo);
	memory_note(&w->memory, at + sizeof g->lo, g->hi);
	return true;
}

static bool goroutine_stack(struct walk *w, uintptr_t at, uintptr_t depth)
{
	struct g g;
	if (at % 8 != 0 || !read_g(w, at, &g))
		return false;
	if (g.hi <= g.lo || g.hi % 8 != 0 || depth > g.hi - g.lo || depth % 8 != 0 || depth < 16)
		return false;
	if (w->goroutine != 0 && (w->goroutine != at || w->memory.go_lo != g.lo || w->memory.go_hi != g.hi))
		w->memory.unfit = true; // a kept walk has one goroutine with one stack
	if (w->goroutine == 0)
		w->goroutine = at;
	if (cgoheap_go.m_offset != 0) {
		w->memory.go_lo = g.lo;
		w->memory.go_hi = g.hi;
	}
	w->at.fp = record_below(g.hi - depth);
	return true;
}

// At the return from C into asmcgocall, unless a signal struck exactly there: sets fp to asmcgocall's frame.
static bool join(struct walk *w, bool needs_g)
{
	struct saved_call call;
	if (w->exact || !saved_call(w, &call) || (needs_g && call.g == 0))
		return false;
	w->fp_at = 0;
	w->fp_given = false;
	if (call.g != 0)
		return goroutine_stack(w, call.g, call.depth);
	w->at.fp = record_below(call.depth);
	return true;
}

bool walk_join(struct walk *w)
{
	return cgoheap_go.joined && cgoheap_go.m_offset != 0 && join(w, true);
}

static enum end enter_go(struct walk *w)
{
	if (!code_has(w->go->asmcgocall, walk_call_site(w)))
		return walk_fp(w) ? WALK_ON : END_GO_FRAME; // Go code that called C itself, on a system stack
	if (!cgoheap_go.joined)
		return END_NO_JOIN;
	return join(w, false) ? WALK_ON : END_GO_FRAME;
}

// Called at a return from one Go frame into another: Go assembly that asmcgocall runs may call C by itself, on the system stack.
static enum end reenter_go(struct walk *w)
{
	if (!code_has(w->go->asmcgocall, walk_call_site(w)))
		return WALK_ON;
	return SP_ABOVE_RECORD ? enter_go(w) : END_NO_JOIN;
}

// Whether w is still in Go code: functions of a plugin and of the program call each other.
static bool is_go(struct walk *w)
{
	return code_has(w->go->text, walk_call_site(w)) || walk_find_go(w);
}

// Goes one frame up: fp points to {caller's fp, return address}.
static enum end step(struct walk *w)
{
	uintptr_t fp = w->at.fp, next, pc;
	if (!memory_load(&w->memory, fp, &next) || !memory_load(&w->memory, fp + 8, &pc))
		return END_GO_FRAME;
	next = caller_record(fp, next);
	bool on_goroutine = fp >= w->memory.go_lo && fp < w->memory.go_hi;
	if (next != 0 && next <= fp && on_goroutine && next >= w->memory.go_lo)
		return END_BACKWARDS;
	w->at = (struct registers){pc, fp + 16, next};
	w->exact = w->fp_given = false;
	w->fp_known = true;
	return pc == 0 ? END_ROOT : WALK_ON;
}

// Goes one frame up from the function at pc.
static enum end leave(struct walk *w)
{
	if (!code_has(w->go->crosscall2, walk_call_site(w)))
		return step(w);
	if (w->exact || !leave_crosscall2(w))
		return END_GO_FRAME;
	w->fp_known = true;
	w->fp_given = false;
	return w->at.pc == 0 ? END_ROOT : WALK_ON;
}

enum end walk_go(struct walk *w)
{
	enum end end = enter_go(w);
	while (end == WALK_ON) {
		end = walk_emit(w, walk_frame(walk_call_site(w), w->go_module));
		if (end != WALK_EMIT)
			return end;
		if (w->at.fp == 0 || code_has(w->go->mstart, walk_call_site(w)))
			return END_ROOT;
		end = leave(w);
		if (end == WALK_ON && !is_go(w))
			return WALK_ON;
		if (end == WALK_ON)
			end = reenter_go(w);
	}
	return end;
}
