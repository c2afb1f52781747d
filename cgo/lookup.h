// The rule for a code address, remembered in the index's cache. Most rules are plain, and what those say fits into the
// word that the cache keeps, beside the module: a walk need not go on to the rule.
#ifndef CGOHEAP_LOOKUP_H
#define CGOHEAP_LOOKUP_H

#include <stdbool.h>
#include <stdint.h>

#include "memory.h"
#include "region.h"
#include "rows.h"

#define CACHE_PLACES 2048

// Recorders read and write a place at once, so the key holds the address and what was found: halves of different places
// are a miss, unless they fit by chance. That has a probability, not a proof against it: the key is mixed by a
// multiplication, and no rule of typical programs was found that could fit another's key.
struct place {
	uint64_t key, found;
};

// What was found, from the lowest bit on: whether it is plain, whether the module may be unloaded, the module (16 bits),
// and of a plain rule whether it starts from fp and not from sp, how many words below the caller's sp the caller's fp is
// saved (13 bits; 0 if it is not), and how many words above the start the caller's sp (16) and the return address (16)
// are; of any other rule its offset (46; 0 for none).
//
// What the next look-up waits for comes out by a single shift.
#define FOUND_PLAIN 1
#define FOUND_CLOSABLE 2
#define FOUND_BITS 18 // of these and the module
#define FOUND_FROM_FP (1 << FOUND_BITS)

static inline uint32_t found_module(uint64_t found)
{
	return (uint16_t)(found >> 2);
}

static inline uintptr_t plain_fp_below(uint64_t found)
{
	return (found >> (FOUND_BITS + 1) & 0x1fff) * 8;
}

static inline uintptr_t plain_sp_above(uint64_t found)
{
	return (uint16_t)(found >> 32) * 8UL;
}

static inline uintptr_t plain_pc_above(uint64_t found)
{
	return (found >> 48) * 8;
}

// Where the cache has pc: by the bits of the address that follows, which for a return address is what was read.
static inline struct place *place_of_code(struct place *cache, uintptr_t pc)
{
	uintptr_t after = pc + 1, mixed = after * sizeof *cache ^ after / (CACHE_PLACES / sizeof *cache);
	return (struct place *)((char *)cache + mixed % (CACHE_PLACES * sizeof *cache) / sizeof *cache * sizeof *cache);
}

static inline struct place *cache_of(const struct index *index)
{
	return region_at(index->cache);
}

static inline uint64_t place_key(uintptr_t pc, uint64_t found)
{
	return pc ^ found * 0x9e3779b97f4a7c15ULL;
}

// What the cache knows of pc; 0 for nothing.
static inline uint64_t cached(struct place *cache, uintptr_t pc)
{
	const struct place *p = place_of_code(cache, pc);
	uint64_t found = __atomic_load_n(&p->found, __ATOMIC_RELAXED);
	return __atomic_load_n(&p->key, __ATOMIC_RELAXED) == place_key(pc, found) ? found : 0;
}

static inline void cache_put(struct place *cache, uintptr_t pc, uint64_t found)
{
	struct place *p = place_of_code(cache, pc);
	__atomic_store_n(&p->found, found, __ATOMIC_RELAXED);
	__atomic_store_n(&p->key, place_key(pc, found), __ATOMIC_RELAXED);
}

// What a plain rule says, placed as above, without a module; 0 for other rules.
uint64_t found_of_rule(const struct rule *r);

// The rule back again, of something plain that was found.
struct rule rule_of_found(uint64_t found);

// Looks pc up and caches the result; 0 in no module. Rules of files without rows are read through m.
uint64_t index_search(const struct index *index, uintptr_t pc, struct memory *m);

// A rule that was found in memory, and how that is read.
struct room {
	struct memory *memory;
	struct rule rule;
};

// The rule for pc and its module, CFA_NONE where nothing covers it; NULL in no module. It may lie in room.
const struct rule *index_look_up(const struct index *index, uintptr_t pc, uint32_t *module, struct room *room);

// So many rules are looked for in memory before rows are wanted.
#define ROWS_WANTED 128

// The rule for pc by the current index; CFA_NONE where there is none. For tests, one at a time.
const struct rule *index_rule(uintptr_t pc);

#endif
