// Ranges of addresses that do not overlap, each with the call that mapped it, as a tree. Whoever has its lock may use it.
#ifndef CGOHEAP_MAPPED_TREE_H
#define CGOHEAP_MAPPED_TREE_H

#include <stdint.h>

#include "region.h"

// The owner of a range: the caller of the call that mapped it.
enum mapped_kind { MAPPED_PROGRAM, MAPPED_GO, MAPPED_ALLOCATOR };

// Flags of a range.
#define MAPPED_SHARED 1
#define MAPPED_FILE 2
#define MAPPED_SEGMENT 4  // attached by shmat
#define MAPPED_BREAK 8    // between the old and the new end of the heap that brk moves
#define MAPPED_UNKNOWN 16 // shared or a file: mremap does not say, and who mapped it before was not recorded
#define MAPPED_OPEN 32    // attached by shmat: this is the first page, the length is the segment's id, and the kernel's list has the rest

// A range, as whole pages. It is what is left of what a call mapped, or a part of that.
struct mapped {
	uint64_t start, limit;
	uint64_t base;    // where what the call mapped begins
	uint64_t length;  // bytes that the call asked for; but see MAPPED_OPEN
	uint64_t number;  // of the call: no other of the recording has it
	uint64_t leaving; // the number of the call that is about to unmap it, or 0
	uint32_t stack;   // ref, 0 where the kind is not MAPPED_PROGRAM
	uint16_t kind, flags;
	uint32_t child[2]; // in the tree: the roots of lower and of higher ranges
};

#define MAPPED_CHUNK 1024 // ranges in a part of the tree
#define MAPPED_CHUNKS 32

struct mapped_tree {
	uint32_t root;   // these are numbers of ranges, 0 for none
	uint32_t vacant; // the first that is in no tree; child[0] is the next
	uint32_t used;   // all that were ever in use are at most this one
	uint32_t opened; // not 0 if one was ever MAPPED_OPEN
	uint64_t chunks[MAPPED_CHUNKS]; // offsets of MAPPED_CHUNK ranges, 0 where there are none yet
	_Alignas(64) struct mapped first[MAPPED_CHUNK];
};

static inline struct mapped *mapped_at(const struct mapped_tree *t, uint32_t range)
{
	return (struct mapped *)region_at(t->chunks[(range - 1) / MAPPED_CHUNK]) + (range - 1) % MAPPED_CHUNK;
}

// The first range that ends above an address.
uint32_t mapped_from(const struct mapped_tree *t, uint64_t address);

// Splits the ranges that reach across either address, and returns the first range between them, 0 if there is none.
uint32_t mapped_within(struct mapped_tree *t, uint64_t start, uint64_t limit);

// The first range that ends above an address and begins below a limit, 0 if there is none or if the address is the limit.
uint32_t mapped_next(const struct mapped_tree *t, uint64_t address, uint64_t limit);

// Adds a range that overlaps no other. Without room, it is counted as lost.
void mapped_add(struct mapped_tree *t, const struct mapped *m);

void mapped_remove(struct mapped_tree *t, uint32_t range);

// Removes all between two addresses.
void mapped_clear(struct mapped_tree *t, uint64_t start, uint64_t limit);

// Of each segment that begins below an address, only the first page is known from now on.
void mapped_close(struct mapped_tree *t, uint64_t address);

#endif
