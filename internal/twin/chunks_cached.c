//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

// Free chunks that look as if they were in use. They lie in lists of one size, linked by the first word behind the header:
// the address of the next, since glibc 2.32 exclusive or the word's own address without the lowest 12 bits.

#include "chunks.h"

#define LINK 16 // where it is in a chunk

static bool is_chunk(const struct twin_heaps *h, uint64_t at, uint64_t least, uint64_t most)
{
	const struct twin_heap *heap = at % 16 == 0 ? twin_heaps_at(h, at) : NULL;
	if (heap == NULL || heap->limit - at < TWIN_CHUNK_LEAST)
		return false;
	uint64_t size = twin_chunk_size(at);
	return size >= least && size <= most;
}

// Returns false if it is already marked.
static bool mark(struct twin_heaps *h, uint64_t at)
{
	const struct twin_heap *heap = twin_heaps_at(h, at);
	uint64_t into = at - heap->start, bit = 1ULL << into / 16 % 64;
	bool first = (heap->marks[into / 1024] & bit) == 0;
	heap->marks[into / 1024] |= bit;
	return first;
}

static uint64_t demangled(uint64_t at)
{
	return twin_word(at + LINK) ^ (at + LINK) >> 12;
}

// Which of the two ways of linking this glibc has shows in where a link leads.
void twin_chunks_fast(struct twin_heaps *h, uint64_t arena)
{
	for (uint64_t i = 0; i < TWIN_FAST_BINS; i++) {
		uint64_t size = TWIN_CHUNK_LEAST + 16 * i, at = twin_word(arena + TWIN_ARENA_FAST + 8 * i);
		while (is_chunk(h, at, size, size) && mark(h, at)) {
			uint64_t next = demangled(at);
			at = next == 0 || is_chunk(h, next, size, size) ? next : twin_word(at + LINK);
		}
	}
}

// A thread's cache, struct tcache_perthread_struct, is a chunk as well: a count for each list, then the lists, which lead
// from block to block. A list of blocks up to 1032 bytes is for one size. glibc 2.42 has lists for larger ones, and counts
// what there is room for.
struct shape {
	uint64_t size;        // of the chunk
	uint64_t lists;       // how many
	uint64_t count_bytes; // of a count
	bool counts_room;
};

static const struct shape shapes[] = {
	{0x250, 64, 1, false}, // since 2.26
	{0x290, 64, 2, false}, // 2.30
	{0x300, 76, 2, true},  // 2.42
};

#define SMALL_LISTS 64

struct cache {
	const struct shape *shape;
	uint64_t at, key; // what malloc returned for it; key: of its blocks
	bool mangled;
};

static uint64_t count_of(const struct cache *c, uint64_t list)
{
	if (c->shape->count_bytes == 1)
		return *(const volatile uint8_t *)(c->at + list);
	return *(const volatile uint16_t *)(c->at + 2 * list);
}

static uint64_t entry_of(const struct cache *c, uint64_t list)
{
	return twin_word(c->at + c->shape->lists * c->shape->count_bytes + 8 * list);
}

static bool is_member(const struct twin_heaps *h, const struct cache *c, uint64_t list, uint64_t user)
{
	uint64_t least = TWIN_CHUNK_LEAST + 16 * list, most = list < SMALL_LISTS ? least : UINT64_MAX;
	if (list > SMALL_LISTS)
		least = TWIN_CHUNK_LEAST + 16 * SMALL_LISTS;
	if (!is_chunk(h, user - TWIN_CHUNK_HEADER, least, most))
		return false;
	uint64_t key = twin_word(user + 8);
	return c->key == 0 || key == c->key || key == c->at;
}

static uint64_t after(const struct cache *c, uint64_t user)
{
	return c->mangled ? demangled(user - TWIN_CHUNK_HEADER) : twin_word(user);
}

#define LONGEST_LIST 65535

// The number of blocks in a list; more than can be if it leads elsewhere.
static uint64_t length_of(const struct twin_heaps *h, const struct cache *c, uint64_t list)
{
	uint64_t n = 0;
	for (uint64_t user = entry_of(c, list); user != 0; user = after(c, user))
		if (n++ == LONGEST_LIST || !is_member(h, c, list, user))
			return LONGEST_LIST + 2;
	return n;
}

// Whether the lists are as long as is counted. The thread may have been changing one of them.
static bool is_cache(const struct twin_heaps *h, const struct cache *c, uint64_t *blocks)
{
	uint64_t room = 0, off = 0;
	for (uint64_t i = 0; c->shape->counts_room && i < c->shape->lists; i++)
		if (entry_of(c, i) == 0 && count_of(c, i) > room)
			room = count_of(c, i);
	*blocks = 0;
	for (uint64_t i = 0; i < c->shape->lists; i++) {
		uint64_t count = count_of(c, i), entry = entry_of(c, i);
		if (entry % 16 != 0 || (entry == 0 && !c->shape->counts_room && count > 1))
			return false;
		if (c->shape->counts_room)
			count = room - count;
		uint64_t length = length_of(h, c, i);
		off += length > count ? length - count : count - length;
		if (off > 1)
			return false;
		*blocks += length;
	}
	return *blocks > 0;
}

static void mark_lists(struct twin_heaps *h, const struct cache *c)
{
	for (uint64_t i = 0; i < c->shape->lists; i++)
		for (uint64_t user = entry_of(c, i); user != 0 && mark(h, user - TWIN_CHUNK_HEADER); user = after(c, user)) {
		}
	h->caches++;
}

void twin_chunks_cached(struct twin_heaps *h, uint64_t at, uint64_t size, uint64_t key)
{
	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
		struct cache c = {&shapes[i], at + TWIN_CHUNK_HEADER, key, true};
		uint64_t blocks;
		if (size != shapes[i].size && size != shapes[i].size + 16) // a rest of 16 bytes cannot be a chunk
			continue;
		if (!is_cache(h, &c, &blocks)) {
			c.mangled = false;
			if (!is_cache(h, &c, &blocks))
				return;
		}
		mark_lists(h, &c);
		return;
	}
}

void twin_chunks_keyed(struct twin_heaps *h, uint64_t at, uint64_t size, uint64_t key)
{
	if (size <= TWIN_CHUNK_LEAST + 16 * (SMALL_LISTS - 1) && twin_word(at + TWIN_CHUNK_HEADER + 8) == key)
		(void)mark(h, at);
}
