//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

#include "stacks.h"

#include "chain.h"
#include "hash.h"
#include "region.h"

// What a stack is.
struct content {
	uint64_t hash;
	const uint64_t *frames;
	uint32_t depth, end;
};

static uint64_t hash_frames(const struct content *c)
{
	uint64_t h = c->depth ^ ((uint64_t)c->end << 32);
	for (uint32_t i = 0; i < c->depth; i++)
		h = (h ^ c->frames[i] ^ (h >> 29)) * 0x9e3779b97f4a7c15ULL;
	return mix64(h);
}

static bool same(const void *record, const void *content)
{
	const struct stack *s = record;
	const struct content *c = content;
	if (s->hash != c->hash || s->depth != c->depth || s->end != c->end)
		return false;
	for (uint32_t i = 0; i < c->depth; i++)
		if (s->frames[i] != c->frames[i])
			return false;
	return true;
}

static uint32_t make(const struct content *c)
{
	uint64_t at = region_reserve(sizeof(struct stack) + c->depth * sizeof *c->frames);
	if (at == 0)
		return 0;
	struct stack *s = region_at(at);
	s->hash = c->hash;
	s->depth = c->depth;
	s->end = c->end;
	for (uint32_t i = 0; i < c->depth; i++)
		s->frames[i] = c->frames[i];
	return at / 16;
}

uint32_t stack_intern(const uint64_t *frames, uint32_t depth, uint32_t end)
{
	struct content c = {.frames = frames, .depth = depth, .end = end};
	c.hash = hash_frames(&c);
	uint32_t *heads = region_at(cgoheap_region->stack_heads);
	uint32_t *head = &heads[c.hash & (cgoheap_region->heads - 1)];
	uint32_t seen = __atomic_load_n(head, __ATOMIC_ACQUIRE);
	uint32_t ref = chain_find(seen, 0, same, &c);
	if (ref != 0)
		return ref;
	uint32_t made = make(&c);
	if (made == 0)
		return 0;
	ref = chain_link(head, seen, made, same, &c);
	if (ref == made)
		count(COUNT_STACKS);
	return ref;
}
