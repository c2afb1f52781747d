/* The second way to SQLite's amounts: an allocator that counts and then works as SQLite's own does. */
#ifndef CGOHEAP_E2E_COUNT_H
#define CGOHEAP_E2E_COUNT_H

#include <stdint.h>

enum { COUNTED_PHASES = 1024 };

enum counted_method { COUNTED_MALLOC, COUNTED_REALLOC, COUNTED_METHODS };

struct counted {
	int64_t alloc_objects, alloc_bytes, inuse_objects, inuse_bytes;
};

/* Installs the counting allocator in SQLite. Returns 0, or SQLite's error code if SQLite was already in use. */
int counted_install(void);

/* Counts the calling thread's allocations for phase from now on; returns the previous phase. */
int counted_enter(int phase);

/* The sum of a phase's blocks that came from this method. */
struct counted counted_sum(int phase, enum counted_method method);

#endif
