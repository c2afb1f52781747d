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

// What is found at start. The module in own is not used: the index has it.
struct go_layout {
	struct go_code own; // of the program, or of the library that it is
	uint32_t m_offset;  // of the pointer to the m in a g; 0: not found, and no g can be verified
	bool joined; // the walk of a known call came out right
};

extern struct go_layout cgoheap_go;

struct last;
struct step;

struct walk {
	const struct index *index;
	bool stale; // a library has been loaded or closed since the index was made
	struct memory memory;
	struct registers at;
	bool exact;    // pc is where a signal struck, not a return address
	uintptr_t lr;  // where exact, and where the machine has one: the link register
	bool fp_known; // fp is the caller's
	uintptr_t fp_at; // where the caller's fp is saved, if it has not been read; otherwise 0
	bool fp_given; // fp is still what the walk began with
	bool fp_used;  // and something followed from that
	uint64_t *frames;
	size_t depth, max;
	uintptr_t goroutine; // the g that the thread runs for; 0 before the walk has met it
	struct last *last;   // the thread's last walk; NULL to learn nothing from it
	const struct step *known; // of the last walk, from which on this one is the same; NULL for none
	bool met;            // the walk went through a library that the index does not have
	struct room room;    // the rule that was found in memory last
	uint16_t part;       // how often the walk has gone from C to Go or back, and one
	const struct go_code *go; // that the walk is in; NULL in C
	uint32_t go_module;
};

// Gives w the current index. Before last_begin and walk.
void walk_by_current(struct walk *w);

// Walks from w->at, whose frame comes first, and fills w->frames.
enum end walk(struct walk *w);

// At a frame that is about to be added to the stack. WALK_EMIT: add it, and step on from it. WALK_ON: frames were added
// that are known, and w->at is the first that is not. An enum end: the rest is known.
enum end last_meet(struct walk *w, uint64_t frame);

// The walk's parts, each in the file of its name. WALK_ON: the other language goes on.
#define WALK_ON ((enum end) - 1)
enum end walk_c(struct walk *w);
enum end walk_go(struct walk *w);

// At a return into code that may be asmcgocall: if what it saved leads to a goroutine, at.fp becomes that of its frame. If
// not, w is of no use any more.
bool walk_join(struct walk *w);

// Whether w is in Go code of another module than the program's, by the index. Sets w->go and w->go_module if it is.
bool walk_find_plugin(struct walk *w);

// The frames of C whose rules are plain, which are nearly all. WALK_EMIT: w->at is at the first other.
enum end walk_plain(struct walk *w);

// One frame up from code of the module, without unwind data, if it is Go code of a plugin that was opened just now; otherwise
// END_NO_UNWIND, and w is as it was.
enum end walk_new_go(struct walk *w, uint32_t module);

// The rule for a site and its module, or the number of the object that was met there; NULL for none. It may lie in w->room.
const struct rule *walk_look_up(struct walk *w, uintptr_t site, uint32_t *module);

// Whether a call stands before pc in code that may be gone: it is read as the stack is, in words.
bool walk_called(struct walk *w, uintptr_t pc);

// A frame of a stack in the region: the module, and the address.
static inline uint64_t walk_frame(uintptr_t address, uint32_t module)
{
	return (uint64_t)module << 48 | (address & 0xffffffffffffULL);
}

// Appends a frame and gives WALK_EMIT; otherwise what last_meet gives, or END_DEPTH when there is no room left.
#define WALK_EMIT ((enum end) - 2)
static inline enum end walk_emit(struct walk *w, uint64_t frame)
{
	enum end end = w->last == NULL ? WALK_EMIT : last_meet(w, frame);
	if (end != WALK_EMIT)
		return end;
	if (w->depth == w->max)
		return END_DEPTH;
	w->frames[w->depth++] = frame;
	return WALK_EMIT;
}

// Whether at.fp is the caller's, from here on. It is read only where a frame needs it: functions that use the register for
// data save and restore it, and what it holds there is no matter of the walk's.
static inline bool walk_fp(struct walk *w)
{
	uintptr_t at = w->fp_at;
	w->fp_at = 0;
	if (at != 0)
		w->fp_known = memory_load(&w->memory, at, &w->at.fp);
	w->fp_used |= w->fp_given;
	return w->fp_known;
}

// The caller's fp is saved there.
static inline void walk_fp_saved(struct walk *w, uintptr_t at)
{
	w->fp_at = at;
	w->fp_known = true;
	w->fp_given = false;
}

// A walk that begins with the registers of a caller.
static inline struct walk walk_of(const struct registers *caller, uint64_t *frames, size_t max)
{
	return (struct walk){.at = *caller, .fp_known = true, .fp_given = true, .frames = frames, .max = max};
}

// pc or, for a return address, an address inside the call before it. The only place that subtracts.
static inline uintptr_t walk_site(const struct walk *w)
{
	return w->exact ? w->at.pc : w->at.pc - 1;
}

// Whether w is in Go code. Sets w->go, and w->go_module if it is.
static inline bool walk_find_go(struct walk *w)
{
	w->go = NULL;
	if (!code_has(cgoheap_go.own.text, walk_site(w)))
		return w->index->plugins != 0 && walk_find_plugin(w);
	w->go = &cgoheap_go.own;
	w->go_module = w->index->go_module;
	return true;
}

#endif
