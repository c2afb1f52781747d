// The rule for a code address, cached in the index. Most rules are plain: they fit into the word that the cache keeps,
// beside the module, so that a walk need not load the rule.
#ifndef CGOHEAP_LOOKUP_H
#define CGOHEAP_LOOKUP_H

#include <stdbool.h>
#include <stdint.h>

#include "memory.h"
#include "region.h"
#include "rows.h"

#ifndef CACHE_ENTRIES // where there are no rows at all it is larger: package preload
#define CACHE_ENTRIES 2048
#endif

// Several recorders may read and write an entry at the same time, so the key combines the address with the found word:
// halves of different entries are a miss, unless they match by chance. That is improbable, not impossible: the key is
// mixed by a multiplication, and in typical programs no rule was found that could match another's key.
struct cache_entry {
	uint64_t key, found;
};

// The found word, from the lowest bit on: whether the rule is plain, whether the module may be unloaded, the module (16
// bits). For a plain rule then: whether it starts from fp and not from sp, how many words below the caller's sp the
// caller's fp is saved (13 bits; 0 if it is not), and how many words above the start the caller's sp (16) and the
// return address (16) are. For any other rule: its offset (46 bits; 0 for none).
//
// The parts that the next look-up waits for need only a single shift.
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

// The entry for pc. It is chosen by the bits of pc + 1: for a call site, that is the return address as it was read.
static inline struct cache_entry *cache_entry_of(struct cache_entry *cache, uintptr_t pc)
{
	uintptr_t after = pc + 1, mixed = after * sizeof *cache ^ after / (CACHE_ENTRIES / sizeof *cache);
	return (struct cache_entry *)((char *)cache + mixed % (CACHE_ENTRIES * sizeof *cache) / sizeof *cache * sizeof *cache);
}

static inline struct cache_entry *cache_of(const struct index *index)
{
	return region_at(index->cache);
}

static inline uint64_t cache_key(uintptr_t pc, uint64_t found)
{
	return pc ^ found * 0x9e3779b97f4a7c15ULL;
}

// The cached result for pc; 0 if there is none.
static inline uint64_t cached(struct cache_entry *cache, uintptr_t pc)
{
	const struct cache_entry *p = cache_entry_of(cache, pc);
	uint64_t found = __atomic_load_n(&p->found, __ATOMIC_RELAXED);
	return __atomic_load_n(&p->key, __ATOMIC_RELAXED) == cache_key(pc, found) ? found : 0;
}

static inline void cache_put(struct cache_entry *cache, uintptr_t pc, uint64_t found)
{
	struct cache_entry *p = cache_entry_of(cache, pc);
	__atomic_store_n(&p->found, found, __ATOMIC_RELAXED);
	__atomic_store_n(&p->key, cache_key(pc, found), __ATOMIC_RELAXED);
}

// A plain rule, encoded as above, without a module; 0 for other rules.
uint64_t found_of_rule(const struct rule *r);

// The rule that a plain result encodes.
struct rule rule_of_found(uint64_t found);

// Looks pc up, caches the result and returns it; 0 if pc is in no module. Rules of files without rows are read through m.
uint64_t index_search(const struct index *index, uintptr_t pc, struct memory *m);

// A rule that was found in memory, and the memory that it is read through.
struct rule_buffer {
	struct memory *memory;
	struct rule rule;
};

// Returns the rule for pc, CFA_NONE if nothing covers it, and sets *module; NULL if pc is in no module. The rule may
// lie in buffer.
const struct rule *index_look_up(const struct index *index, uintptr_t pc, uint32_t *module, struct rule_buffer *buffer);

// How many rules are searched for in memory before rows are requested.
#define ROWS_WANTED 128

// The rule for pc by the current index; CFA_NONE if there is none. For tests; one caller at a time.
const struct rule *index_rule(uintptr_t pc);

#endif
