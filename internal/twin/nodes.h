// The blocks that pointers may lead to, by address: all chunks of glibc's heaps that are in use, recorded or not, and recorded
// blocks that lie elsewhere.
#ifndef CGOHEAP_TWIN_NODES_H
#define CGOHEAP_TWIN_NODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "chunks.h"
#include "found.h"

#define TWIN_PAGE 4096ULL // of the lists here, whatever the kernel's is

// Memory whose blocks are known. A list for each page is indexed by the page's distance from start.
struct twin_place {
	uint64_t start, limit; // multiples of TWIN_PAGE
	uint64_t *chunks;      // a bit for each 16 bytes: a chunk in use begins there; NULL if there are recorded blocks only
	uint64_t *reached;     // the same of chunks that something points to
	uint64_t *covering;    // for each page, the chunk that the page begins in, after its start; 0 for none
	uint32_t *first;       // for each page, and the end, the index of the first recorded block that ends behind its start
};

struct twin_nodes {
	const struct twin_block *blocks;
	uint64_t count;         // of blocks
	uint8_t *reached;       // of each block outside of chunks
	struct twin_place *places; // ascending
	uint64_t place_count, place_room;
	uint64_t chunk_count;   // of all places
	struct twin_range spans[2]; // all places lie in these, on both sides of the largest gap: most words are told by a look at them
	uint32_t *near;         // for each GiB of addresses, the index of the first place that ends behind its start
	uint64_t taken;         // bytes mapped for all of this
};

// One of them.
struct twin_node {
	uint64_t at, size; // the bytes that may hold pointers
	uint64_t block;    // 1 + the index of the recorded block; 0 for none
};

// False if there is no memory.
bool twin_nodes_find(struct twin_nodes *n, const struct twin_heaps *heaps, const struct twin_block *blocks, uint64_t count);

// False if an address lies in no place.
static inline bool twin_nodes_may_hold(const struct twin_nodes *n, uint64_t address)
{
	return (address - n->spans[0].start < n->spans[0].limit - n->spans[0].start) |
	       (address - n->spans[1].start < n->spans[1].limit - n->spans[1].start);
}

// Whether an address lies in a heap of chunks.
bool twin_nodes_in_chunks(const struct twin_nodes *n, uint64_t address);

// Whether a recorded block, by its index, is one that can be reached. One in a heap of chunks of which none is there is not: it was freed
// before the instant, or what is there was not understood.
bool twin_nodes_knows(const struct twin_nodes *n, uint64_t block);

// Finds the block that an address lies in, the first time that it is asked for one. False if there is none, or it was found before.
bool twin_nodes_reach(struct twin_nodes *n, uint64_t address, struct twin_node *node);

// The same, for a pointer whose upper 16 bits were cut off: it must lead to the first word of a block.
bool twin_nodes_reach_tagged(struct twin_nodes *n, uint64_t address, struct twin_node *node);

#endif
