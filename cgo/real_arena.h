// Memory for code that allocates before the real allocator can be found: IFUNC resolvers, which run before the
// executable's relocations are done, and dlsym itself in old versions of glibc.
#ifndef CGOHEAP_REAL_ARENA_H
#define CGOHEAP_REAL_ARENA_H

#include <stdbool.h>

#include "family.h"

// Fills in r with the arena's own functions. Needs no relocations.
void arena_stand_in(volatile struct real *r);

// Whether the arena has handed out any block; and whether p is one.
bool arena_is_used(void);
bool arena_has(const void *p);

// Puts guards before the functions of r, which keep the arena's blocks from them. Does nothing if the arena has handed
// out no block.
void arena_guard(struct real *r);

#endif
