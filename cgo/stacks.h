// Interned stacks: the same frames are the same number.
#ifndef CGOHEAP_STACKS_H
#define CGOHEAP_STACKS_H

#include <stddef.h>
#include <stdint.h>

#include "region.h"

// The outer part of a stack: the hash of its frames, and its innermost node, which is so many callers above another.
struct trunk {
	struct stack_hash hash;
	uint32_t node, callers;
};

// The trunk of no frames, of stacks whose walk ended so.
static inline struct trunk stack_root(uint32_t end)
{
	return (struct trunk){.hash = {{end, end}}, .node = end};
}

// The hash of a trunk with one more frame. The halves are mixed in different ways, so that what is lost in one is not
// lost in the other.
static inline struct stack_hash stack_hash(struct stack_hash trunk, uint64_t frame)
{
	uint64_t mixed = frame * 0xff51afd7ed558ccdULL;
	mixed ^= mixed >> 32;
	return (struct stack_hash){
		{(trunk.of[0] ^ frame ^ (trunk.of[0] >> 29)) * 0x9e3779b97f4a7c15ULL,
		(trunk.of[1] + mixed + (trunk.of[1] >> 31)) * 0xc4ceb9fe1a85ec53ULL},
	};
}

// Ref of the stack with these frames, leaf first, below a trunk; made if need be. 0 when the region is full.
uint32_t stack_intern(const uint64_t *frames, uint32_t depth, struct trunk trunk);

#endif
