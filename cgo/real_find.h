// Finds the functions that the hooks call.
#ifndef CGOHEAP_REAL_FIND_H
#define CGOHEAP_REAL_FIND_H

#include "real.h"

// Finds the real allocator. If it cannot be found yet, the arena stands in. own is our malloc, even if the program calls another;
// NULL with CGOHEAP_WRAP.
void real_find(const void *own);

// Tries what was found, and builds the gate. A call of the program's may come while the real allocator sets itself up, and some then
// serve malloc alone: so this waits until all libraries that the program was linked with have run their constructors. The lists are
// of all hooks, NULL with CGOHEAP_WRAP.
void real_try(const void *own, const volatile struct linked *family, const volatile struct linked *mapped);

#endif
