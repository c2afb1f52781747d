/* The second road to SQLite's amounts: an allocator that counts and then does what SQLite's own does. */
#ifndef CGOHEAP_E2E_COUNT_H
#define CGOHEAP_E2E_COUNT_H

#include <stdint.h>

enum { COUNTED_PHASES = 1024 };

enum counted_method { COUNTED_MALLOC, COUNTED_REALLOC, COUNTED_METHODS };

struct counted {
	int64_t alloc_objects, alloc_bytes, inuse_objects, inuse_bytes;
};

/* Puts the counting allocator under SQLite. 0, or SQLite's error code: SQLite was in use already. */
int counted_install(void);

/* What the calling thread allocates from now on counts for phase; returns the phase until now. */
int counted_enter(int phase);

/* The sum of a phase's blocks that came from that method. */
struct counted counted_sum(int phase, enum counted_method method);

#endif
