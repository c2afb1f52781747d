//go:build linux && amd64 && cgo && !asan && !msan

#include "stacks.h"

#include <stdbool.h>

#include "hash.h"
#include "region.h"

static uint64_t hash_frames(const uint64_t *frames, uint32_t depth, uint32_t end)
{
	uint64_t h = depth ^ ((uint64_t)end << 32);
	for (uint32_t i = 0; i < depth; i++)
		h = (h ^ frames[i] ^ (h >> 29)) * 0x9e3779b97f4a7c15ULL;
	return mix64(h);
}

static bool same(const struct stack *s, uint64_t hash, const uint64_t *frames, uint32_t depth, uint32_t end)
{
	if (s->hash != hash || s->depth != depth || s->end != end)
		return false;
	for (uint32_t i = 0; i < depth; i++)
		if (s->frames[i] != frames[i])
			return false;
	return true;
}

// The chain from ref up to, not including, until.
static uint32_t find(uint32_t ref, uint32_t until, uint64_t hash, const uint64_t *frames, uint32_t depth, uint32_t end)
{
	while (ref != until) {
		struct stack *s = region_ref(ref);
		if (same(s, hash, frames, depth, end))
			return ref;
		ref = s->next;
	}
	return 0;
}

static uint32_t make(uint64_t hash, const uint64_t *frames, uint32_t depth, uint32_t end)
{
	uint64_t at = region_reserve(sizeof(struct stack) + depth * sizeof *frames);
	if (at == 0)
		return 0;
	struct stack *s = region_at(at);
	s->hash = hash;
	s->depth = depth;
	s->end = end;
	for (uint32_t i = 0; i < depth; i++)
		s->frames[i] = frames[i];
	return at / 16;
}

// Links made before head unless another thread linked its like first; then that one serves, and made stays unused.
static uint32_t link_stack(uint32_t *head, uint32_t seen, uint32_t made)
{
	struct stack *s = region_ref(made);
	for (;;) {
		uint32_t first = seen;
		s->next = first;
		if (__atomic_compare_exchange_n(head, &seen, made, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			break;
		uint32_t other = find(seen, first, s->hash, s->frames, s->depth, s->end);
		if (other != 0)
			return other;
	}
	count(COUNT_STACKS);
	return made;
}

uint32_t stack_intern(const uint64_t *frames, uint32_t depth, uint32_t end)
{
	uint64_t hash = hash_frames(frames, depth, end);
	uint32_t *heads = region_at(cgoheap_region->stack_heads);
	uint32_t *head = &heads[hash & (cgoheap_region->heads - 1)];
	uint32_t seen = __atomic_load_n(head, __ATOMIC_ACQUIRE);
	uint32_t ref = find(seen, 0, hash, frames, depth, end);
	if (ref != 0)
		return ref;
	ref = make(hash, frames, depth, end);
	return ref == 0 ? 0 : link_stack(head, seen, ref);
}
