// Interned stacks: the same frames are the same number.
#ifndef CGOHEAP_STACKS_H
#define CGOHEAP_STACKS_H

#include <stddef.h>
#include <stdint.h>

#include "region.h"
#include "trie.h"

// Interned records begin with refs of two more; see trie.h. Their content is written once, then they are linked.

struct frame {
	uint32_t next[2];
	uint64_t frame; // module << 48 | call site
};

// A frame below its callers: each node with all nodes above it is a stack or the outer part of some.
struct node {
	uint32_t next[2];
	uint32_t caller; // ref of the caller's node, which is lower; of the outermost frame, the enum end that the walk stopped with
	uint32_t frame;  // ref
};

#define STACK_LISTS 2 // of sites
#define STACK_ENDS (REGION_FILTER / 16) // no record has a ref as low; a caller below it is an enum end

// The hash of a stack's frames, 128 bits.
struct stack_hash {
	uint64_t of[2];
};

// One cache line.
struct stack {
	_Alignas(64) uint32_t next[2];
	struct stack_hash hash;
	uint32_t node;  // the leaf's, or an enum end if there is no frame
	uint32_t sizes; // how many sites have a size of their own
	uint32_t size_bits[4]; // of the hashes of those sites; see sites.c
	uint32_t table;        // ref of struct size_table, 0 for none
	uint32_t sized[STACK_LISTS]; // refs of the first site of each list of sites with a size of their own
	uint32_t mixed; // ref of the first site without a size of its own, 0 for none; the others hang below it
};

// One of the region's stack_heads.
struct stack_head {
	uint32_t first;  // ref of a stack; the others hang below it
	uint32_t likely; // ref of the site of one of these stacks that is probably needed; 0 for none. See stack_likely
};

TRIE_RECORD(struct frame);
TRIE_RECORD(struct node);
TRIE_RECORD(struct stack);
_Static_assert(sizeof(struct stack) == 64, "a stack is one cache line");

// The outer part of a stack: the hash of its frames, and its innermost node, which is reached by going up from node
// that many callers.
struct trunk {
	struct stack_hash hash;
	uint32_t node, callers;
};

// The trunk without frames, of stacks whose walk ended with this enum end.
static inline struct trunk stack_root(uint32_t end)
{
	return (struct trunk){.hash = {{end, end}}, .node = end};
}

// The hash of a trunk with one more frame. The halves are mixed in different ways, so that frames that collide in one
// half do not collide in the other.
static inline struct stack_hash stack_hash(struct stack_hash trunk, uint64_t frame)
{
	uint64_t mixed = frame * 0xff51afd7ed558ccdULL;
	mixed ^= mixed >> 32;
	return (struct stack_hash){
		{(trunk.of[0] ^ frame ^ (trunk.of[0] >> 29)) * 0x9e3779b97f4a7c15ULL,
		(trunk.of[1] + mixed + (trunk.of[1] >> 31)) * 0xc4ceb9fe1a85ec53ULL},
	};
}

// Asks the processor for the memory that the search for a stack reads: first its head, and then, when that has come, the
// stack and the site that the head names. It never faults.
void stack_prefetch(struct stack_hash hash);
void stack_prefetch_first(struct stack_hash hash);

// Notes the site of a stack that is probably needed most often: the next search for the stack asks the processor for it.
void stack_likely(const struct stack *s, uint32_t site);

// Returns the ref of the stack with these frames, leaf first, below a trunk; makes it if needed. 0 when the region is full.
uint32_t stack_intern(const uint64_t *frames, uint32_t depth, struct trunk trunk);

// The same if the hash is known: the trunk's hash, extended by stack_hash with each frame.
uint32_t stack_intern_hashed(const uint64_t *frames, uint32_t depth, struct trunk trunk, struct stack_hash hash);

#endif
