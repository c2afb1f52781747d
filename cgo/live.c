//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

// The live table.
//
// The table is a list of levels, each twice as large as the one before. A level is an array of buckets: eight keys in one
// cache line, then their eight records. A block may lie in either of two buckets of any level; a look-up reads both
// whole and never stops at an empty slot. So a removed key leaves nothing behind, no tombstones, and every operation is
// a compare-and-swap on one slot: no locks, usable from a signal handler that struck inside another operation.

#include "live.h"

#include "block.h"
#include "hash.h"

struct slot {
	uint64_t *key;
	struct block *block;
};

static struct bucket *bucket_of(int level, uint64_t hash, int choice)
{
	struct bucket *buckets = region_at(cgoheap_region->levels[level]);
	uint64_t mask = ((uint64_t)LEVEL_BUCKETS << level) - 1;
	return &buckets[(choice == 0 ? hash : hash >> 32) & mask];
}

static int newest_level(void)
{
	int level = (int)__atomic_load_n(&cgoheap_region->level_count, __ATOMIC_ACQUIRE) - 1;
	while (level < REGION_LEVELS - 1 && __atomic_load_n(&cgoheap_region->levels[level + 1], __ATOMIC_ACQUIRE) != 0)
		level++;
	return level;
}

static bool claim(struct bucket *b, struct slot *slot)
{
	for (int i = 0; i < BUCKET; i++) {
		uint64_t empty = 0;
		if (__atomic_load_n(&b->keys[i], __ATOMIC_RELAXED) != 0)
			continue;
		if (!__atomic_compare_exchange_n(&b->keys[i], &empty, RESERVED, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			continue;
		*slot = (struct slot){&b->keys[i], &b->blocks[i]};
		return true;
	}
	return false;
}

static int load_of(const struct bucket *b)
{
	int n = 0;
#pragma GCC unroll 8
	for (int i = 0; i < BUCKET; i++)
		n += __atomic_load_n(&b->keys[i], __ATOMIC_RELAXED) != 0;
	return n;
}

// Takes the emptier of two buckets, unless the first is at least half empty. Then few buckets are full until the whole
// level nearly is.
static bool claim_in_level(int level, uint64_t hash, struct slot *slot)
{
	struct bucket *one = bucket_of(level, hash, 0), *two = bucket_of(level, hash, 1);
	int load = load_of(one);
	if (load > BUCKET / 2 && load_of(two) < load)
		return claim(two, slot) || claim(one, slot);
	return claim(one, slot) || claim(two, slot);
}

// Adds the level after newest unless another thread just did. Two threads that add it at once reserve it twice, and one
// of the two reservations stays unused: cheaper than a lock that a signal handler could find held.
static bool grow(int newest)
{
	int level = newest + 1;
	if (level == REGION_LEVELS)
		return false;
	uint64_t at = region_reserve(((uint64_t)LEVEL_BUCKETS << level) * sizeof(struct bucket));
	uint64_t none = 0;
	if (at != 0)
		__atomic_compare_exchange_n(&cgoheap_region->levels[level], &none, at, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
	if (at != 0)
		__atomic_store_n(&cgoheap_region->level_count, level + 1, __ATOMIC_RELEASE);
	return __atomic_load_n(&cgoheap_region->levels[level], __ATOMIC_ACQUIRE) != 0;
}

static bool find_room(uint64_t hash, struct slot *slot)
{
	for (;;) {
		int newest = newest_level();
		for (int level = newest; level >= 0; level--)
			if (claim_in_level(level, hash, slot))
				return true;
		if (newest_level() == newest && !grow(newest))
			return false;
	}
}

static void copy(struct block *to, const struct block *from)
{
	for (int m = 0; m < MEASURES; m++)
		__atomic_store_n(&to->weight.of[m], __atomic_load_n(&from->weight.of[m], __ATOMIC_RELAXED), __ATOMIC_RELAXED);
	__atomic_store_n(&to->site, __atomic_load_n(&from->site, __ATOMIC_RELAXED), __ATOMIC_RELAXED);
	__atomic_store_n(&to->born, __atomic_load_n(&from->born, __ATOMIC_RELAXED), __ATOMIC_RELAXED);
}

static inline __attribute__((always_inline)) bool find_in(struct bucket *b, uint64_t address, struct slot *slot)
{
#pragma GCC unroll 8
	for (int i = 0; i < BUCKET; i++)
		if (__atomic_load_n(&b->keys[i], __ATOMIC_ACQUIRE) == address) {
			*slot = (struct slot){&b->keys[i], &b->blocks[i]};
			return true;
		}
	return false;
}

static inline __attribute__((always_inline)) bool find(uint64_t address, uint64_t hash, struct slot *slot)
{
	for (int level = newest_level(); level >= 0; level--)
		if (find_in(bucket_of(level, hash, 0), address, slot) || find_in(bucket_of(level, hash, 1), address, slot))
			return true;
	return false;
}

enum kept live_insert(const void *p, const struct block *b)
{
	uint64_t address = (uintptr_t)p, hash = mix64(address);
	struct slot slot;
	if (find(address, hash, &slot))
		return KEPT_ALREADY;
	if (!find_room(hash, &slot))
		return KEPT_NOT;
	copy(slot.block, b);
	filter_add(address, 1);
	__atomic_store_n(slot.key, address, __ATOMIC_RELEASE);
	return KEPT;
}

bool live_remove(const void *p, struct block *b)
{
	uint64_t address = (uintptr_t)p, key = address;
	struct slot slot;
	if (address <= RESERVED || !find(address, mix64(address), &slot)) // free(NULL): an empty slot is not a block
		return false;
	copy(b, slot.block);
	filter_add(address, -1);
	if (__atomic_compare_exchange_n(slot.key, &key, 0, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		return true;
	filter_add(address, 1); // the program frees the block twice at once, and the other free has it
	return false;
}

void live_prefetch(const void *p)
{
	uint64_t hash = mix64((uintptr_t)p);
	int level = newest_level();
	if (level < 0)
		return;
	const char *one = (const char *)bucket_of(level, hash, 0);
#pragma GCC unroll 4
	for (size_t line = 0; line < sizeof(struct bucket); line += 64)
		__builtin_prefetch(one + line, 1);
	__builtin_prefetch(bucket_of(level, hash, 1), 1);
}

void live_prefetch_older(const void *p)
{
	uint64_t hash = mix64((uintptr_t)p);
	for (int level = newest_level() - 1; level >= 0; level--) {
		__builtin_prefetch(bucket_of(level, hash, 0)->keys);
		__builtin_prefetch(bucket_of(level, hash, 1)->keys);
	}
}

static void count_bucket(const struct bucket *b, uint8_t *counts)
{
	for (int i = 0; i < BUCKET; i++) {
		uint64_t address = __atomic_load_n(&b->keys[i], __ATOMIC_ACQUIRE);
		if (address > RESERVED && counts[filter_index(address)] != UINT8_MAX)
			counts[filter_index(address)]++;
	}
}

void live_count(uint8_t *counts)
{
	for (int level = newest_level(); level >= 0; level--) {
		const struct bucket *buckets = region_at(cgoheap_region->levels[level]);
		for (uint64_t i = 0; i < (uint64_t)LEVEL_BUCKETS << level; i++)
			count_bucket(&buckets[i], counts);
	}
}

bool live_mark_lost(const void *p, bool lost)
{
	uint64_t address = (uintptr_t)p;
	struct slot slot;
	if (address <= RESERVED || !find(address, mix64(address), &slot))
		return false;
	uint64_t *objects = &slot.block->weight.of[OBJECTS];
	uint64_t was = lost ? __atomic_fetch_or(objects, BLOCK_LOST, __ATOMIC_RELAXED)
			    : __atomic_fetch_and(objects, ~BLOCK_LOST, __ATOMIC_RELAXED);
	return ((was & BLOCK_LOST) != 0) != lost;
}
