//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

#include "sites.h"

#include <string.h>

#include "chain.h"
#include "hash.h"

// A stack that allocates more sizes than this (a growing vector, strings), or as many under different labels, keeps the
// rest in one site without a size for each set of labels, so that sizes cannot fill the region.
#define SIZES_PER_STACK 16

// A site with more visits than this from other places in a tick of the clock is split. Twice as many words pass from
// core to core in that time as cost a core a thousandth of its own.
#define VISITS 256
#define PARTS 16

// What a site is.
struct content {
	uint32_t stack, labels;
	uint64_t size;
	uint32_t whole, place; // of a part
};

static uint32_t *head_of(const struct content *c)
{
	uint64_t who = ((uint64_t)c->stack << 32 | c->labels) + ((uint64_t)(c->whole == 0 ? 0 : c->place + 1) << 56);
	uint64_t hash = mix64(who ^ (c->size * 0x9e3779b97f4a7c15ULL));
	uint32_t *heads = region_at(cgoheap_region->site_heads);
	return &heads[hash & (cgoheap_region->heads - 1)];
}

static bool same(const void *record, const void *content)
{
	const struct site *s = record;
	const struct content *c = content;
	return s->stack == c->stack && s->size == c->size && s->labels == c->labels && s->whole == c->whole &&
	       (c->whole == 0 || s->place == c->place);
}

static uint32_t make(const struct content *c)
{
	struct site made = {.stack = c->stack, .labels = c->labels, .size = c->size, .whole = c->whole, .place = c->place};
	uint64_t at = region_reserve(sizeof made + site_measures(&made) * sizeof *made.flow);
	if (at == 0)
		return 0;
	memcpy(region_at(at), &made, sizeof made);
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

// Counts one more size of a stack. False if it has as many as it may.
static bool count_size(struct stack *s)
{
	if (__atomic_load_n(&s->sizes, __ATOMIC_RELAXED) >= SIZES_PER_STACK)
		return false;
	if (__atomic_fetch_add(&s->sizes, 1, __ATOMIC_RELAXED) < SIZES_PER_STACK)
		return true;
	__atomic_fetch_sub(&s->sizes, 1, __ATOMIC_RELAXED);
	return false;
}

// The site as a whole; sets the size to SITE_MIXED if that is what it is.
static uint32_t intern_whole(struct content *c, struct visitor by)
{
	for (;;) {
		uint32_t *head = head_of(c);
		uint32_t seen = __atomic_load_n(head, __ATOMIC_ACQUIRE);
		uint32_t ref = chain_find(seen, 0, same, c);
		if (ref != 0)
			return ref;
		if (c->size == SITE_MIXED || count_size(region_ref(c->stack)))
			return make_and_link(head, seen, c);
		count_in(by.place, COUNT_MIXED, 1);
		c->size = SITE_MIXED;
	}
}

// Whether the site has to be split for the visitor. Counts the visit, and may miss some.
static bool is_crowded(struct site *s, struct visitor by)
{
	if (s->place == by.place % PARTS)
		return false;
	uint16_t visits = __atomic_load_n(&s->visits, __ATOMIC_RELAXED);
	if (visits > VISITS)
		return true;
	if (__atomic_load_n(&s->visited, __ATOMIC_RELAXED) != by.tick) {
		__atomic_store_n(&s->visited, by.tick, __ATOMIC_RELAXED);
		visits = 0;
	}
	__atomic_store_n(&s->visits, visits + 1, __ATOMIC_RELAXED);
	return false;
}

// The visitor's part; 0 when the region is half full: the other half is for what has no place at all.
static uint32_t intern_part(const struct content *c)
{
	uint32_t *head = head_of(c);
	uint32_t seen = __atomic_load_n(head, __ATOMIC_ACQUIRE);
	uint32_t ref = chain_find(seen, 0, same, c);
	if (ref != 0)
		return ref;
	if (__atomic_load_n(&cgoheap_region->used, __ATOMIC_RELAXED) > cgoheap_region->size / 2)
		return 0;
	uint32_t made = make(c);
	return made == 0 ? 0 : chain_link(head, seen, made, same, c);
}

uint32_t site_intern(uint32_t stack, uint64_t size, uint32_t labels, struct visitor by)
{
	struct content c = {.stack = stack, .labels = labels, .size = size, .place = by.place % PARTS};
	uint32_t whole = intern_whole(&c, by);
	if (whole == 0 || !is_crowded(region_ref(whole), by))
		return whole;
	c.whole = whole;
	uint32_t part = intern_part(&c);
	return part != 0 ? part : whole;
}

uint64_t site_in_use(const struct site *s, enum measure m)
{
	return tally_now(&s->flow[m].allocated) - tally_now(&s->flow[m].freed) - lifetimes_sum(s, m);
}

static void settle(struct site *s, uint32_t parity)
{
	for (int m = 0; m < site_measures(s); m++) {
		tally_settle(&s->flow[m].allocated, parity);
		tally_settle(&s->flow[m].freed, parity);
	}
	lifetimes_settle(s, parity);
}

void sites_settle(uint32_t parity)
{
	uint32_t *heads = region_at(cgoheap_region->site_heads);
	for (uint64_t i = 0; i < cgoheap_region->heads; i++) {
		uint32_t ref = __atomic_load_n(&heads[i], __ATOMIC_ACQUIRE);
		while (ref != 0) {
			struct site *s = region_ref(ref);
			settle(s, parity);
			ref = s->next;
		}
	}
	carries_settle(parity);
}
