//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

// Walks Go code that the index does not know as Go code: a plugin allocates through C while it is opened, before Go can put its
// ranges into the index. The code has no unwind data; only its module or object is known. The stacks show that it is Go code:
//
// Only asmcgocall saves a g that can be verified, with an address in that g's stack. The frame record there has its
// caller, in the same module, because a plugin has its own copies of asmcgocall and of its caller. Both return
// addresses stand behind calls. From there on, what runs on the goroutine's stack is Go code.

#include "objects.h"
#include "room.h"
#include "walk.h"

// Whether the code was opened after the program began, and may be a plugin's Go code that the index does not know yet.
static bool may_be_new_go(const struct walk *w, uint32_t module)
{
	const struct range *range = module >= OBJECT_FIRST ? NULL : index_find(w->index, walk_call_site(w));
	return module >= OBJECT_FIRST || (range != NULL && range->closable && range->go == 0);
}

static bool on_goroutine(const struct walk *w, uintptr_t address)
{
	return address >= w->memory.go_lo && address < w->memory.go_hi;
}

// Whether w is at the return into a plugin's asmcgocall, whose caller, at pc, is in the plugin too.
static bool joins_caller(struct walk *w, uint32_t module, uintptr_t pc)
{
	uint32_t of_caller;
	struct rule kept = w->buffer.rule;
	walk_look_up(w, pc - 1, &of_caller);
	w->buffer.rule = kept;
	return of_caller == module && walk_called(w, w->at.pc) && walk_called(w, pc);
}

// Goes one frame up in Go code that the index does not know. If the stack does not show that it is Go code, returns
// END_NO_UNWIND, and w must not be used any more.
static enum end step_as_go(struct walk *w, uint32_t module)
{
	uintptr_t fp, next, pc;
	bool joined = !on_goroutine(w, w->at.sp - 1);
	if (w->exact || (joined && !walk_join(w)))
		return END_NO_UNWIND;
	fp = w->at.fp;
	if (fp == 0 && !joined)
		return END_ROOT;
	if (!on_goroutine(w, fp) || !memory_load(&w->memory, fp, &next) || !memory_load(&w->memory, fp + 8, &pc))
		return END_NO_UNWIND;
	if (joined && !joins_caller(w, module, pc))
		return END_NO_UNWIND;
	if (next <= fp && on_goroutine(w, next))
		return END_BACKWARDS;
	w->at = (struct registers){pc, fp + 16, next};
	w->exact = w->fp_given = false;
	w->fp_known = true;
	return pc == 0 ? END_ROOT : WALK_ON;
}

struct attempt {
	struct walk *w;
	uint32_t module;
	enum end end;
};

static void try(void *attempt)
{
	struct attempt *a = attempt;
	struct walk before = *a->w;
	a->end = step_as_go(a->w, a->module);
	if (a->end == END_NO_UNWIND)
		*a->w = before;
	else
		a->w->met = true;
	a->w->memory.unfit = true;
}

enum end walk_new_go(struct walk *w, uint32_t module)
{
	struct attempt a = {w, module, END_NO_UNWIND};
	if (objects_allowed() && may_be_new_go(w, module))
		(void)room_run(w->memory.room, try, &a);
	return a.end;
}
