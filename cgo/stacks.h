// Interned stacks: the same frames are the same number.
#ifndef CGOHEAP_STACKS_H
#define CGOHEAP_STACKS_H

#include <stddef.h>
#include <stdint.h>

// Ref of the stack with these frames and this enum end, made if need be; 0 when the region is full.
uint32_t stack_intern(const uint64_t *frames, uint32_t depth, uint32_t end);

#endif
