// The walk from registers to call sites: C by rows, Go by frame pointer, and across the calls between them.
#ifndef CGOHEAP_WALK_H
#define CGOHEAP_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "counters.h"
#include "machine.h"
#include "memory.h"
#include "lookup.h"
#include "rows.h"

struct registers {
	uintptr_t pc, sp, fp;
};

// The layout of the Go runtime, found at start. The module in own is not used: the index has it.
struct go_layout {
	struct go_code own; // of the program, or of this library
	uint32_t m_offset;  // of the pointer to the m in a g; 0: not found, and no g can be verified
	bool joined; // the walk of a known call had the right result
};

extern struct go_layout cgoheap_go;

struct walk {
	const struct index *index;
	bool stale; // a library has been loaded or closed since the index was made
	struct memory memory;
	struct registers at;
	bool exact;    // pc is where a signal struck, not a return address
	uintptr_t lr;  // the link register, if exact and if the machine has one
	bool fp_known; // fp is the caller's
	uintptr_t fp_at; // where the caller's fp is saved, if it has not been read; otherwise 0
	// The next two, knows and knower, and memory's log and unfit are for last.c alone: decision 0025 has the reason of each.
	bool fp_given; // fp is still the value that the walk began with
	bool fp_used;  // and a frame was found with it
	uint64_t *frames;
	size_t depth, max;
	uintptr_t goroutine; // the g that the thread runs for; 0 before the walk has met it
	bool met;            // the walk went through a library that the index does not have
	struct rule_buffer buffer; // the rule that was found in memory last
	const struct go_code *go; // that the walk is in; NULL in C
	uint32_t go_module;
	// Called before a frame is added, unless NULL. Returns true if the stack is known from that frame to its root, and
	// then adds the number of those frames to depth.
	bool (*knows)(struct walk *w, uint64_t frame);
	void *knower; // for it
	uintptr_t asks_from; // plain frames of C with a lower sp are added without a call of knows, and no word is logged for them
};

// Sets w->index to the current index. Called before all else.
void walk_by_current(struct walk *w);

// Walks from w->at, which is the first frame, and fills w->frames.
enum end walk(struct walk *w);

// The walk's parts, each in the file of its name. WALK_ON: the walk continues in the other language.
#define WALK_ON ((enum end) - 1)
enum end walk_c(struct walk *w);
enum end walk_go(struct walk *w);

// Called at a return into code that may be asmcgocall. If what it saved leads to a goroutine, sets at.fp to its frame.
// If not, returns false, and w must not be used any more.
bool walk_join(struct walk *w);

// Whether w is in Go code of another module than the program's, by the index. Sets w->go and w->go_module if it is.
bool walk_find_plugin(struct walk *w);

// Walks C frames whose rules are plain, which nearly all are. WALK_EMIT: w->at is at the first other frame.
enum end walk_plain(struct walk *w);

// Goes one frame up from code of the module, without unwind data, if it is Go code of a plugin that was opened just
// now. Otherwise returns END_NO_UNWIND and leaves w as it was.
enum end walk_new_go(struct walk *w, uint32_t module);

// If w is at the return from a signal handler and rows do not show where the signal struck, goes on to that code.
#ifdef __aarch64__
bool walk_signal(struct walk *w);
#else
// libc's trampoline has rows.
static inline bool walk_signal(struct walk *w)
{
	(void)w;
	return false;
}
#endif

// Returns the rule for a call site and sets *module to its module, or to the number of an object; NULL for none. The
// rule may lie in w->buffer.
const struct rule *walk_look_up(struct walk *w, uintptr_t call_site, uint32_t *module);

// Whether a call stands before pc, in unknown code; false if the code cannot be read.
bool walk_called(struct walk *w, uintptr_t pc);

// Whether pc follows a call: true if that is unknown, except in code that was made at run time.
bool walk_follows_call(struct walk *w, uintptr_t pc);

// The same, also in a library that was opened just now; false in unknown code.
bool walk_may_return_to(struct walk *w, uintptr_t pc);

// A frame of a stack in the region: the module, and the address.
static inline uint64_t walk_frame(uintptr_t address, uint32_t module)
{
	return (uint64_t)module << 48 | (address & 0xffffffffffffULL);
}

// Appends a frame and returns WALK_EMIT; END_DEPTH when there is no room left. walk_emit returns END_ROOT if the rest is
// known, and appends nothing then.
#define WALK_EMIT ((enum end) - 2)
static inline enum end walk_add(struct walk *w, uint64_t frame)
{
	if (w->depth == w->max)
		return END_DEPTH;
	w->frames[w->depth++] = frame;
	return WALK_EMIT;
}

static inline enum end walk_emit(struct walk *w, uint64_t frame)
{
	return w->knows != NULL && w->knows(w, frame) ? END_ROOT : walk_add(w, frame);
}

// Reads the caller's fp, if that is pending; true if at.fp is known. It is read only when a frame needs it: functions
// that use the register for data save and restore it, and the walk does not care about the data.
static inline bool walk_fp(struct walk *w)
{
	uintptr_t at = w->fp_at;
	w->fp_at = 0;
	if (at != 0)
		w->fp_known = memory_load(&w->memory, at, &w->at.fp);
	w->fp_used |= w->fp_given;
	return w->fp_known;
}

// Notes that the caller's fp is saved at an address.
static inline void walk_fp_saved(struct walk *w, uintptr_t at)
{
	w->fp_at = at;
	w->fp_known = true;
	w->fp_given = false;
}

// Begins a walk with the registers of a caller. Sets all fields but those of walk_by_current, and memory, which memory_begin sets: a
// store to each costs half of what it costs to zero them all.
static inline void walk_begin(struct walk *w, const struct registers *caller, uint64_t *frames, size_t max)
{
	w->at = *caller;
	w->exact = w->fp_used = w->met = false;
	w->fp_known = w->fp_given = true;
	w->lr = w->fp_at = w->goroutine = 0;
	w->frames = frames;
	w->depth = 0;
	w->max = max;
	w->go = NULL;
	w->go_module = 0;
	w->knows = NULL;
	w->knower = NULL;
	w->asks_from = UINTPTR_MAX;
}

// The call site: pc or, for a return address, an address inside the call before it.
static inline uintptr_t walk_call_site(const struct walk *w)
{
	return w->exact ? w->at.pc : w->at.pc - 1;
}

// Whether w is in Go code. Sets w->go and, if it is, w->go_module.
static inline bool walk_find_go(struct walk *w)
{
	w->go = NULL;
	if (!code_has(cgoheap_go.own.text, walk_call_site(w)))
		return w->index->plugins != 0 && walk_find_plugin(w);
	w->go = &cgoheap_go.own;
	w->go_module = w->index->go_module;
	return true;
}

#endif
