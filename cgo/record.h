// The seam between the hooks, which know the malloc family, and the book-keeping, which knows samples.
#ifndef CGOHEAP_RECORD_H
#define CGOHEAP_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "block.h"
#include "gate.h"
#include "live.h"
#include "thread.h"
#include "walk.h"

// A block that a realloc has forgotten, and must restore if the real realloc fails.
struct forgotten {
	bool found;
	bool lost; // the gate was full: p is still remembered, and marked as freed
	uint32_t generation;
	struct block block;
};

// Has the thread take part in the current recording. False if there is none.
bool record_join(void);

// Counts an allocation of size bytes down. Returns the mean interval in bytes if the allocation is sampled, otherwise
// 0. Its fast half is record_skips.
uint64_t record_count_down(size_t size);

// Whether the current recording certainly does not sample an allocation of size bytes; if so, counts it down.
static inline bool record_skips(uint32_t generation, size_t size)
{
	struct thread *t = &cgoheap_thread;
	uint64_t countdown = __atomic_load_n(&t->countdown, __ATOMIC_RELAXED); // once: a signal handler may allocate too
	if (t->generation != generation || size >= countdown)
		return false;
	__atomic_store_n(&t->countdown, countdown - size - 1, __ATOMIC_RELAXED);
	return true;
}

// A block, the mean interval with which it was sampled, 0 if it was not, and the registers of the code that allocated it.
struct allocation {
	const void *p;
	size_t size;
	uint64_t interval;
	const struct registers *caller;
};

// Remembers a sampled block. After the real malloc.
void record_block(const struct allocation *a);

// The same of a block that is none of malloc's, with its kind, which may have no text. By pointer: with an argument on the stack, gcc
// would build frames of slow halves in another way than CALLER_REGISTERS knows.
void record_reported(const struct allocation *a, const struct kind *kind);

// Forgets p, and counts it as freed. Before the real free.
void record_free(const void *p);

// Takes p out of what is in use, without counting it as freed.
void record_disuse(const void *p);

// realloc in two steps: record_forget forgets p without counting it. Then record_move counts p as freed and, if the new
// block was sampled, remembers that one; or record_restore puts p back.
void record_forget(const void *p, struct forgotten *old);
void record_move(struct forgotten *old, const struct allocation *a);
void record_restore(const void *p, const struct forgotten *old);

// The ref of the caller's stack; 0 when the region is full. Inside the gate, in a slot.
uint32_t record_stack(uint32_t slot, const struct registers *caller);

// Settings, written while stopped, though a delayed thread may read them even then. From one seed, different threads
// draw different numbers, and a thread always draws the same ones.
extern uint64_t cgoheap_seed;
extern uint32_t cgoheap_max_depth;
extern uint64_t cgoheap_sample_bytes; // as in the header, which lies in a file perhaps

#endif
