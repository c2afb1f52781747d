// Finds the functions that the hooks call.
#ifndef CGOHEAP_REAL_FIND_H
#define CGOHEAP_REAL_FIND_H

// Finds the real allocator and builds the gate. If it cannot be found yet, the arena stands in, and the gate stays
// unbuilt. own is our malloc, even if the program calls another; NULL with CGOHEAP_WRAP.
void real_find(const void *own);

#endif
