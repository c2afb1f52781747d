//go:build linux && amd64 && cgo && !asan && !msan

#include "sites.h"

#include "hash.h"
#include "lifetimes.h"

// A stack that allocates more sizes than this (a growing vector, strings) keeps the rest in one site without a size,
// so that sizes cannot fill the region.
#define SIZES_PER_STACK 256

static uint32_t *head_of(uint32_t stack, uint64_t size)
{
	uint64_t hash = mix64(((uint64_t)stack << 32) ^ (size * 0x9e3779b97f4a7c15ULL));
	uint32_t *heads = region_at(cgoheap_region->site_heads);
	return &heads[hash & (cgoheap_region->heads - 1)];
}

// The chain from ref up to, not including, until.
static uint32_t find(uint32_t ref, uint32_t until, uint32_t stack, uint64_t size)
{
	while (ref != until) {
		struct site *s = region_ref(ref);
		if (s->stack == stack && s->size == size)
			return ref;
		ref = s->next;
	}
	return 0;
}

static uint32_t make(uint32_t stack, uint64_t size)
{
	uint64_t at = region_reserve(sizeof(struct site));
	if (at == 0)
		return 0;
	struct site *s = region_at(at);
	s->stack = stack;
	s->size = size;
	return at / 16;
}

// Links made before head unless another thread linked its like first; then that one serves, and made stays unused.
static uint32_t link_site(uint32_t *head, uint32_t seen, uint32_t made)
{
	struct site *s = region_ref(made);
	for (;;) {
		uint32_t first = seen;
		s->next = first;
		if (__atomic_compare_exchange_n(head, &seen, made, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			break;
		uint32_t other = find(seen, first, s->stack, s->size);
		if (other != 0)
			return other;
	}
	count(COUNT_SITES);
	return made;
}

// A site of a size of its own has been counted in the stack's sizes; that is taken back if none was added.
static uint32_t make_and_link(uint32_t *head, uint32_t seen, uint32_t stack, uint64_t size)
{
	uint32_t made = make(stack, size);
	uint32_t linked = made == 0 ? 0 : link_site(head, seen, made);
	if ((made == 0 || linked != made) && size != SITE_MIXED)
		__atomic_fetch_sub(&((struct stack *)region_ref(stack))->sizes, 1, __ATOMIC_RELAXED);
	return linked;
}

uint32_t site_intern(uint32_t stack, uint64_t size)
{
	struct stack *of = region_ref(stack);
	for (;;) {
		uint32_t *head = head_of(stack, size);
		uint32_t seen = __atomic_load_n(head, __ATOMIC_ACQUIRE);
		uint32_t ref = find(seen, 0, stack, size);
		if (ref != 0)
			return ref;
		if (size != SITE_MIXED && __atomic_fetch_add(&of->sizes, 1, __ATOMIC_RELAXED) >= SIZES_PER_STACK) {
			__atomic_fetch_sub(&of->sizes, 1, __ATOMIC_RELAXED);
			count(COUNT_MIXED);
			size = SITE_MIXED;
			continue;
		}
		return make_and_link(head, seen, stack, size);
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
