// The seam between the hooks, which know the malloc family, and the book-keeping, which knows samples.
#ifndef CGOHEAP_RECORD_H
#define CGOHEAP_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gate.h"
#include "live.h"
#include "region.h"
#include "thread.h"
#include "waker.h"
#include "walk.h"

// What a realloc must be able to take back: a block that was forgotten.
struct forgotten {
	bool found;
	bool lost; // the gate was full: p is remembered still, as freed
	uint32_t generation;
	struct block block;
};

// The mean gap in bytes if an allocation of size bytes is sampled, otherwise 0; moves the countdown. The fast half is
// record_skips.
uint64_t record_samples(size_t size);

// Whether an allocation of size bytes is certainly not sampled by the current recording; moves the countdown if so.
static inline bool record_skips(uint32_t generation, size_t size)
{
	struct thread *t = &cgoheap_thread;
	uint64_t countdown = __atomic_load_n(&t->countdown, __ATOMIC_RELAXED); // once: a signal handler may allocate too
	if (t->generation != generation || size >= countdown)
		return false;
	__atomic_store_n(&t->countdown, countdown - size - 1, __ATOMIC_RELAXED);
	return true;
}

// A block, the mean gap that it was sampled by, 0 if it was not, and the registers of who allocated it.
struct allocation {
	const void *p;
	size_t size;
	uint64_t gap;
	const struct registers *caller;
};

// Remembers a sampled block. After the real malloc.
void record_block(const struct allocation *a);

// Forgets p, and counts it as freed. Before the real free.
void record_free(const void *p);

// realloc: forgets p without counting it; then counts it as freed and, if the new one was sampled, remembers
// that; or puts p back.
void record_forget(const void *p, struct forgotten *old);
void record_move(struct forgotten *old, const struct allocation *a);
void record_restore(const void *p, const struct forgotten *old);

// Asks Go, through the waker, to look for modules that were loaded since; at most once for each reason until it has.
void record_wake(enum wake wake);

// Settings, written while stopped, though a thread that was late may read them even then. Threads draw different gaps
// from one seed, and the same thread the same.
extern uint64_t cgoheap_seed;
extern uint32_t cgoheap_max_depth;

#endif
