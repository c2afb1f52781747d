// Interned stacks: the same frames are the same number.
#ifndef CGOHEAP_STACKS_H
#define CGOHEAP_STACKS_H

#include <stddef.h>
#include <stdint.h>

// The outer part of a stack: its innermost node, and the hash of its frames.
struct trunk {
	uint64_t hash;
	uint32_t node;
};

// The trunk of no frames, of stacks whose walk ended so.
static inline struct trunk stack_root(uint32_t end)
{
	return (struct trunk){end, end};
}

// The hash of a trunk with one more frame.
static inline uint64_t stack_hash(uint64_t trunk, uint64_t frame)
{
	return (trunk ^ frame ^ (trunk >> 29)) * 0x9e3779b97f4a7c15ULL;
}

// Ref of the stack with these frames, leaf first, below a trunk; made if need be. 0 when the region is full.
uint32_t stack_intern(const uint64_t *frames, uint32_t depth, struct trunk trunk);

#endif
