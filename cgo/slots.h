// Memory for each slot of the gate. Few slots are ever taken, so it is addresses at first: what may be written counts against RLIMIT_DATA,
// and where the kernel promises no more memory than there is. The homes have theirs from the start, the others by groups.
#ifndef CGOHEAP_SLOTS_H
#define CGOHEAP_SLOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GATE_HOMES 64 // slots that are tried first, and a group
#define GATE_SLOTS 2048

// Maps so many bytes, a multiple of 4096, for each slot. NULL, and errno, if there is no room. Once.
void *slots_map(size_t each);

// Whether the memory of a slot may be used, if there is any: asks the kernel when it is the first of its group. A hook may call it.
bool slots_allow(uint32_t slot);

#endif
