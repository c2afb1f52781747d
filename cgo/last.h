// The last walk of a thread, because most of the next one is the same. See last.c.
#ifndef CGOHEAP_LAST_H
#define CGOHEAP_LAST_H

#include "stacks.h"
#include "walk.h"

#define LAST_STEPS 96
#define LAST_WORDS MEMORY_WORDS

// Where a walk stood at a frame.
struct step {
	uintptr_t pc, sp, fp, fp_at;
	uint64_t frame;
	struct stack_hash hash; // of the stack from here on
	uint16_t words; // those read from here on begin there
	uint16_t part;  // how often the walk had gone from C to Go or back
	bool fp_known, fp_given, joined, go;
};

// The last walk in a home at the gate, which is nearly always the thread's. Steps and words of it, leaf first, stand at
// the end of their arrays; those of the walk under way, which are known from its leaf on, at the beginning of the others.
struct last {
	uint32_t thread; // whose walk it is
	uint64_t index;  // the number of the index that it went by
	uint32_t stack;  // ref of what it found
	bool fp_used;    // what it found followed from the frame pointer that it began with
	uint32_t first, cursor, fresh;
	uintptr_t go_lo, go_hi, goroutine; // what it found where it joined
	struct step steps[LAST_STEPS], fresh_steps[LAST_STEPS];
	struct word words[LAST_WORDS], fresh_words[LAST_WORDS];
};

// Before a walk from w->at in a place of the gate: sets w->last, or leaves it NULL where nothing can be learned.
void last_begin(struct walk *w, uint32_t place);

// The ref of the stack if the walk found the last one's again, otherwise 0.
uint32_t last_stack(const struct walk *w);

// The trunk of what the walk found, if it ended so, and how many frames are below it.
struct trunk last_trunk(const struct walk *w, enum end end, uint32_t *below);

// After a walk that ended so, and found the stack of this ref: keeps it for the next.
void last_end(struct walk *w, enum end end, uint32_t stack);

#endif
