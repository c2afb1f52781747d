//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

#include "sites.h"

#include "chain.h"
#include "hash.h"
#include "lifetimes.h"

// A stack that allocates more sizes than this (a growing vector, strings), or as many under different labels, keeps the
// rest in one site without a size for each set of labels, so that sizes cannot fill the region.
#define SIZES_PER_STACK 256

// What a site is.
struct content {
	uint32_t stack, labels;
	uint64_t size;
};

static uint32_t *head_of(const struct content *c)
{
	uint64_t hash = mix64(((uint64_t)c->stack << 32 | c->labels) ^ (c->size * 0x9e3779b97f4a7c15ULL));
	uint32_t *heads = region_at(cgoheap_region->site_heads);
	return &heads[hash & (cgoheap_region->heads - 1)];
}

static bool same(const void *record, const void *content)
{
	const struct site *s = record;
	const struct content *c = content;
	return s->stack == c->stack && s->size == c->size && s->labels == c->labels;
}

static uint32_t make(const struct content *c)
{
	uint64_t at = region_reserve(sizeof(struct site));
	if (at == 0)
		return 0;
	struct site *s = region_at(at);
	s->stack = c->stack;
	s->labels = c->labels;
	s->size = c->size;
	return at / 16;
}

// A site of a size of its own has been counted in the stack's sizes; that is taken back if none was added.
static uint32_t make_and_link(uint32_t *head, uint32_t seen, const struct content *c)
{
	uint32_t made = make(c);
	uint32_t linked = made == 0 ? 0 : chain_link(head, seen, made, same, c);
	if (made != 0 && linked == made)
		count(COUNT_SITES);
	else if (c->size != SITE_MIXED)
		__atomic_fetch_sub(&((struct stack *)region_ref(c->stack))->sizes, 1, __ATOMIC_RELAXED);
	return linked;
}

uint32_t site_intern(uint32_t stack, uint64_t size, uint32_t labels)
{
	struct stack *of = region_ref(stack);
	struct content c = {stack, labels, size};
	for (;;) {
		uint32_t *head = head_of(&c);
		uint32_t seen = __atomic_load_n(head, __ATOMIC_ACQUIRE);
		uint32_t ref = chain_find(seen, 0, same, &c);
		if (ref != 0)
			return ref;
		if (c.size != SITE_MIXED && __atomic_fetch_add(&of->sizes, 1, __ATOMIC_RELAXED) >= SIZES_PER_STACK) {
			__atomic_fetch_sub(&of->sizes, 1, __ATOMIC_RELAXED);
			count(COUNT_MIXED);
			c.size = SITE_MIXED;
			continue;
		}
		return make_and_link(head, seen, &c);
	}
}

void site_add(uint32_t site, uint32_t parity, struct weight w)
{
	struct tally *t = &((struct site *)region_ref(site))->delta[parity];
	__atomic_fetch_add(&t->alloc_objects, w.objects, __ATOMIC_RELAXED);
	__atomic_fetch_add(&t->alloc_bytes, w.bytes, __ATOMIC_RELAXED);
}

void site_subtract(uint32_t site, uint32_t parity, struct weight w)
{
	struct tally *t = &((struct site *)region_ref(site))->delta[parity];
	__atomic_fetch_add(&t->free_objects, w.objects, __ATOMIC_RELAXED);
	__atomic_fetch_add(&t->free_bytes, w.bytes, __ATOMIC_RELAXED);
}

void sites_fold(uint32_t parity)
{
	uint32_t *heads = region_at(cgoheap_region->site_heads);
	for (uint64_t i = 0; i < cgoheap_region->heads; i++) {
		uint32_t ref = __atomic_load_n(&heads[i], __ATOMIC_ACQUIRE);
		while (ref != 0) {
			struct site *s = region_ref(ref);
			struct tally *d = &s->delta[parity];
			delta_move(&s->base.alloc_objects, &d->alloc_objects);
			delta_move(&s->base.alloc_bytes, &d->alloc_bytes);
			delta_move(&s->base.free_objects, &d->free_objects);
			delta_move(&s->base.free_bytes, &d->free_bytes);
			lifetimes_fold(s, parity);
			ref = s->next;
		}
	}
}
