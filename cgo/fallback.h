// Takes the real allocator's place in a program that has none: in a static executable that was not linked with --wrap, the linker takes
// none of libc's allocator, because the program defines malloc.
#ifndef CGOHEAP_FALLBACK_H
#define CGOHEAP_FALLBACK_H

#include "family.h"

// Fills in r.
void fallback_stand_in(struct real *r);

#endif
