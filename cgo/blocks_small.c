//go:build linux && (amd64 || arm64) && cgo && !asan && !msan && !cgoheap_wrap

// A block is carved from a chunk, and keeps its size for ever. When it is freed it goes to the list of its size, from where it is
// taken again.
//
// Everything is changed by a single swap of a pair of words, so no thread ever waits for another, and a thread that a handler
// interrupts or that a fork leaves behind loses at most the one block that it has in its hands. A list's head has a
// version beside the address: without it, a swap would succeed if the first block had been taken and returned meanwhile, and
// the second one taken. Blocks are never unmapped, so the link of a block that another thread has just taken can be read.

#include "blocks_small.h"

#include <stdbool.h>

#include "blocks_pages.h"
#include "machine.h"

#define CHUNK (4ULL << 20)
#define SIZES 51

// A block while it is free. The user of the block keeps its class and may use the rest.
struct vacant {
	struct vacant *next;
	uint32_t class;
};

_Static_assert(offsetof(struct vacant, class) == SMALL_CLASS_AT, "the class stays where it is");

static _Alignas(16) uint64_t lists[SIZES][2]; // {first block, version}
static _Alignas(16) uint64_t chunk[2];        // {next free byte, limit}

static uint64_t load(const uint64_t *word)
{
	return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

size_t small_size(uint32_t class)
{
	return class < 2 ? 32 + 16 * class : (4 + (class - 2) % 4) * (size_t)SMALL_ALIGN << (class - 2) / 4;
}

uint32_t small_class(size_t bytes)
{
	uint64_t units = (bytes + SMALL_ALIGN - 1) / SMALL_ALIGN;
	if (units < 4)
		return units == 3;
	unsigned doubled = 61 - (unsigned)__builtin_clzll(units);
	return (uint32_t)(2 + 4 * doubled + ((units + (1ULL << doubled) - 1) >> doubled) - 4);
}

// Puts a new chunk in the place of one that has not enough left. False if there is no memory.
static bool next_chunk(uint64_t *seen)
{
	char *at = pages_map(CHUNK);
	uint64_t fresh[2] = {(uint64_t)at, (uint64_t)at + CHUNK};
	if (at == NULL)
		return false;
	if (!swap_pair(chunk, seen, fresh))
		pages_unmap(at, CHUNK); // another thread has put one there; if this fails, the chunk stays unused
	return true;
}

static void *carve(size_t size)
{
	for (;;) {
		uint64_t seen[2] = {load(&chunk[0]), load(&chunk[1])};
		uint64_t rest[2] = {seen[0] + size, seen[1]};
		if (seen[0] + size <= seen[1]) {
			if (swap_pair(chunk, seen, rest))
				return (void *)seen[0];
		} else if (!next_chunk(seen)) {
			return NULL;
		}
	}
}

static struct vacant *take(uint32_t class)
{
	for (;;) {
		uint64_t seen[2];
		seen[1] = load(&lists[class][1]);
		seen[0] = load(&lists[class][0]);
		struct vacant *first = (struct vacant *)seen[0];
		if (first == NULL)
			return NULL;
		uint64_t rest[2] = {(uint64_t)__atomic_load_n(&first->next, __ATOMIC_ACQUIRE), seen[1] + 1};
		if (swap_pair(lists[class], seen, rest))
			return first;
	}
}

static struct vacant *new_block(uint32_t class)
{
	struct vacant *v = carve(small_size(class));
	if (v != NULL)
		v->class = class;
	return v;
}

void *small_take(uint32_t class)
{
	struct vacant *v = take(class);
	return v != NULL ? v : new_block(class);
}

void small_give(void *block)
{
	struct vacant *v = block;
	uint64_t *list = lists[v->class];
	for (;;) {
		uint64_t seen[2];
		seen[1] = load(&list[1]);
		seen[0] = load(&list[0]);
		uint64_t longer[2] = {(uint64_t)v, seen[1]};
		__atomic_store_n(&v->next, (struct vacant *)seen[0], __ATOMIC_RELEASE);
		if (swap_pair(list, seen, longer))
			return;
	}
}
