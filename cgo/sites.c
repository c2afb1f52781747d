//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

#include "sites.h"

#include "hash.h"
#include "trie.h"

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

static uint64_t hash_of(const struct content *c)
{
	uint64_t who = (uint64_t)c->labels << 32 | (c->whole == 0 ? 0 : c->place + 1);
	return mix64(who ^ (c->size * 0x9e3779b97f4a7c15ULL));
}

static struct trie sites_of(struct stack *s, uint64_t hash)
{
	return (struct trie){&s->sites, hash};
}

static bool same(const void *record, const void *content)
{
	const struct site *s = record;
	const struct content *c = content;
	return s->size == c->size && s->labels == c->labels && s->whole == c->whole && (c->whole == 0 || s->place == c->place);
}

static uint32_t make(const struct content *c)
{
	const struct site made = {.stack = c->stack, .labels = c->labels, .size = c->size, .whole = c->whole, .place = c->place};
	uint64_t at = region_reserve(sizeof made + site_measures(&made) * sizeof *made.flow);
	if (at == 0)
		return 0;
	*(struct site *)region_at(at) = made;
	return at / 16;
}

// One bit for a hash in each word of a stack's size_bits.
static uint64_t size_bit(uint64_t hash, int word)
{
	return 1ULL << (hash >> (32 + 6 * word) & 63);
}

// Whether a stack has as many sizes as it may, and none with this hash: one in twenty of those that it lacks looks as if it
// were there, and needs a search.
static bool lacks_size(const struct stack *s, uint64_t hash)
{
	if (__atomic_load_n(&s->sizes, __ATOMIC_ACQUIRE) < SIZES_PER_STACK)
		return false;
	for (int word = 0; word < 2; word++)
		if ((__atomic_load_n(&s->size_bits[word], __ATOMIC_RELAXED) & size_bit(hash, word)) == 0)
			return true;
	return false;
}

// Counts one more size of a stack. False if it has as many as it may.
static bool count_size(struct stack *s, uint64_t hash)
{
	uint32_t sizes = __atomic_load_n(&s->sizes, __ATOMIC_RELAXED);
	if (sizes >= SIZES_PER_STACK)
		return false;
	for (int word = 0; word < 2; word++)
		__atomic_fetch_or(&s->size_bits[word], size_bit(hash, word), __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(&s->sizes, &sizes, sizes + 1, 1, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		if (sizes >= SIZES_PER_STACK)
			return false;
	return true;
}

// A site of a size of its own has been counted in the stack's sizes; that is taken back if none was added.
static uint32_t make_and_link(struct trie *t, const struct content *c)
{
	uint32_t made = make(c);
	uint32_t linked = made == 0 ? 0 : trie_link(t, made, same, c);
	if (made != 0 && linked == made)
		count(COUNT_SITES);
	else if (c->size != SITE_MIXED)
		__atomic_fetch_sub(&((struct stack *)region_ref(c->stack))->sizes, 1, __ATOMIC_RELAXED);
	return linked;
}

#define NONE UINT32_MAX

// The site of a size of its own, made if need be; 0 when the region is full, NONE where the stack has too many sizes.
static uint32_t intern_size(struct stack *stack, const struct content *c)
{
	uint64_t hash = hash_of(c);
	if (lacks_size(stack, hash))
		return NONE;
	struct trie t = sites_of(stack, hash);
	uint32_t ref = trie_find(&t, same, c);
	if (ref != 0)
		return ref;
	return count_size(stack, hash) ? make_and_link(&t, c) : NONE;
}

static uint32_t intern_mixed(struct stack *stack, const struct content *c)
{
	uint32_t first = __atomic_load_n(&stack->mixed, __ATOMIC_ACQUIRE);
	if (first != 0 && same(region_ref(first), c))
		return first;
	struct trie t = sites_of(stack, hash_of(c));
	uint32_t ref = trie_find(&t, same, c);
	if (ref == 0)
		ref = make_and_link(&t, c);
	if (first == 0)
		__atomic_compare_exchange_n(&stack->mixed, &first, ref, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
	return ref;
}

// The site as a whole; sets the size to SITE_MIXED if that is what it is.
static uint32_t intern_whole(struct content *c, struct visitor by)
{
	struct stack *stack = region_ref(c->stack);
	uint32_t likely = __atomic_load_n(&stack->mixed, __ATOMIC_RELAXED);
	if (likely != 0 || (likely = __atomic_load_n(&stack->sites, __ATOMIC_RELAXED)) != 0)
		site_prefetch(likely);
	uint32_t ref = c->size == SITE_MIXED ? NONE : intern_size(stack, c);
	if (ref != NONE)
		return ref;
	if (c->size != SITE_MIXED)
		count_in(by.place, COUNT_MIXED, 1);
	c->size = SITE_MIXED;
	return intern_mixed(stack, c);
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
	struct trie t = sites_of(region_ref(c->stack), hash_of(c));
	uint32_t ref = trie_find(&t, same, c);
	if (ref != 0)
		return ref;
	if (__atomic_load_n(&cgoheap_region->used, __ATOMIC_RELAXED) > cgoheap_region->size / 2)
		return 0;
	uint32_t made = make(c);
	return made == 0 ? 0 : trie_link(&t, made, same, c);
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
	return tally_now(&s->flow[m].allocated) - lifetimes_sum(s, m);
}

static void settle(void *record, const void *argument)
{
	struct site *s = record;
	uint32_t parity = *(const uint32_t *)argument;
	for (int m = 0; m < site_measures(s); m++)
		tally_settle(&s->flow[m].allocated, parity);
	lifetimes_settle(s, parity);
}

struct visit {
	trie_visit *visit;
	const void *argument;
};

static void visit_sites(void *record, const void *argument)
{
	const struct stack *s = record;
	const struct visit *v = argument;
	trie_each(__atomic_load_n(&s->sites, __ATOMIC_ACQUIRE), v->visit, v->argument);
}

void sites_each(trie_visit *visit, const void *argument)
{
	const struct visit v = {visit, argument};
	uint32_t *heads = region_at(cgoheap_region->stack_heads);
	for (uint64_t i = 0; i < cgoheap_region->heads; i++)
		trie_each(__atomic_load_n(&heads[i], __ATOMIC_ACQUIRE), visit_sites, &v);
}

void sites_settle(uint32_t parity)
{
	sites_each(settle, &parity);
	carries_settle(parity);
}
