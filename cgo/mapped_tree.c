//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

// A treap: in order of addresses from left to right, and of a range's priority from the root down. The priority is a hash of
// its number, so the tree is as deep as one whose ranges came in random order: some dozens for the most that there can be. What
// is done is one way down, without recursion, because a hook may run on a small stack.

#include "mapped_tree.h"

#include "hash.h"

enum { LOWER, HIGHER };

static bool above(uint32_t a, uint32_t b)
{
	return mix64(a) > mix64(b);
}

// Splits a tree into the ranges that begin below an address and the others.
static void split(const struct mapped_tree *t, uint32_t root, uint64_t address, uint32_t parts[2])
{
	uint32_t *to[2] = {&parts[LOWER], &parts[HIGHER]};
	while (root != 0) {
		struct mapped *m = mapped_at(t, root);
		int side = m->start < address ? LOWER : HIGHER;
		*to[side] = root;
		to[side] = &m->child[!side];
		root = *to[side];
	}
	*to[LOWER] = *to[HIGHER] = 0;
}

// Joins two trees. Every range of the first lies below every range of the second.
static uint32_t join(const struct mapped_tree *t, uint32_t lower, uint32_t higher)
{
	uint32_t root, *to = &root;
	while (lower != 0 && higher != 0) {
		bool first = above(lower, higher);
		*to = first ? lower : higher;
		to = &mapped_at(t, *to)->child[first ? HIGHER : LOWER];
		*(first ? &lower : &higher) = *to;
	}
	*to = lower != 0 ? lower : higher;
	return root;
}

// The child of a range where ranges that begin at start are.
static uint32_t *next(const struct mapped_tree *t, uint32_t range, uint64_t start)
{
	struct mapped *m = mapped_at(t, range);
	return &m->child[m->start < start ? HIGHER : LOWER];
}

// What lies below the new range in the tree becomes its children.
static void insert(struct mapped_tree *t, uint32_t range)
{
	struct mapped *m = mapped_at(t, range);
	uint32_t *at = &t->root;
	while (*at != 0 && above(*at, range))
		at = next(t, *at, m->start);
	split(t, *at, m->start, m->child);
	*at = range;
}

// The offset of a new part of the tree, 0 if there is no room.
static uint64_t make_chunk(const struct mapped_tree *t, uint32_t chunk)
{
	if (chunk == 0)
		return (uint64_t)((const char *)t->first - (const char *)cgoheap_region);
	return chunk < MAPPED_CHUNKS ? region_reserve(MAPPED_CHUNK * sizeof(struct mapped)) : 0;
}

static bool grow(struct mapped_tree *t)
{
	uint32_t chunk = t->used / MAPPED_CHUNK;
	if (t->used % MAPPED_CHUNK != 0)
		return true;
	uint64_t made = make_chunk(t, chunk);
	if (made != 0)
		t->chunks[chunk] = made;
	return made != 0;
}

static uint32_t take(struct mapped_tree *t)
{
	uint32_t range = t->vacant;
	if (range != 0)
		t->vacant = mapped_at(t, range)->child[0];
	else if (grow(t))
		range = ++t->used;
	else
		count(COUNT_LOST_MAPPED);
	return range;
}

void mapped_add(struct mapped_tree *t, const struct mapped *m)
{
	uint32_t range = take(t);
	if (range == 0)
		return;
	struct mapped *added = mapped_at(t, range);
	*added = *m;
	t->opened |= m->flags & MAPPED_OPEN;
	insert(t, range);
}

void mapped_remove(struct mapped_tree *t, uint32_t range)
{
	struct mapped *m = mapped_at(t, range);
	uint32_t *at = &t->root;
	while (*at != range && *at != 0) // 0 if the program has overwritten the tree
		at = next(t, *at, m->start);
	*at = join(t, m->child[LOWER], m->child[HIGHER]);
	*m = (struct mapped){.child = {t->vacant}};
	t->vacant = range;
}

uint32_t mapped_from(const struct mapped_tree *t, uint64_t address)
{
	uint32_t found = 0;
	for (uint32_t at = t->root; at != 0;) {
		const struct mapped *m = mapped_at(t, at);
		if (m->limit > address)
			found = at;
		at = m->child[m->limit > address ? LOWER : HIGHER];
	}
	return found;
}

// Splits the range that reaches across an address. Without room for the upper part, nobody knows who mapped that.
static void cut(struct mapped_tree *t, uint64_t address)
{
	uint32_t range = mapped_from(t, address);
	struct mapped *m = range == 0 ? NULL : mapped_at(t, range);
	if (m == NULL || m->start >= address)
		return;
	struct mapped higher = *m;
	higher.start = m->limit = address;
	mapped_add(t, &higher);
}

// Mostly there is no range between the addresses, or one that is exactly as large. Then the tree is searched once.
uint32_t mapped_within(struct mapped_tree *t, uint64_t start, uint64_t limit)
{
	uint32_t first = mapped_from(t, start);
	if (first == 0 || mapped_at(t, first)->start >= limit)
		return 0;
	if (mapped_at(t, first)->start < start) {
		cut(t, start);
		first = mapped_next(t, start, limit);
	}
	if (first != 0 && mapped_at(t, first)->limit != limit)
		cut(t, limit);
	return first;
}

uint32_t mapped_next(const struct mapped_tree *t, uint64_t address, uint64_t limit)
{
	uint32_t range = address < limit ? mapped_from(t, address) : 0;
	return range != 0 && mapped_at(t, range)->start < limit ? range : 0;
}

void mapped_clear(struct mapped_tree *t, uint64_t start, uint64_t limit)
{
	uint32_t range = mapped_within(t, start, limit);
	while (range != 0) {
		uint64_t end = mapped_at(t, range)->limit;
		mapped_remove(t, range);
		range = mapped_next(t, end, limit);
	}
}

void mapped_close(struct mapped_tree *t, uint64_t address)
{
	for (uint32_t range = 1; t->opened != 0 && range <= t->used; range++) {
		struct mapped *m = mapped_at(t, range);
		if ((m->flags & MAPPED_OPEN) == 0 || m->start >= address)
			continue;
		m->flags &= (uint16_t)~MAPPED_OPEN;
		m->length = m->limit - m->start;
	}
}
