// Memory for those who allocate before the real allocator can be found: IFUNC resolvers, which run before the
// executable's relocations are done, and dlsym itself in old versions of glibc.
#ifndef CGOHEAP_REAL_ARENA_H
#define CGOHEAP_REAL_ARENA_H

#include "real.h"

// Makes r the arena's own functions. Needs no relocations.
void arena_stand_in(volatile struct real *r);

// Whether it has given out any block, and whether p is one.
bool arena_is_used(void);
bool arena_has(const void *p);

// Puts functions before those of r that keep the arena's blocks from them; nothing if the arena has given out none.
void arena_guard(struct real *r);

#endif
