//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

#include "sites.h"

#include "gate_slot.h"
#include "hash.h"
#include "stacks.h"
#include "thread.h"
#include "trie.h"

#define SIZE_WORDS (sizeof((struct stack){0}.size_bits) / sizeof(uint32_t))

TRIE_RECORD(struct site);

// The key of a site.
struct content {
	uint32_t stack, labels;
	uint64_t size;
	uint8_t device;
};

static uint64_t hash_of(const struct content *c)
{
	return mix64((uint64_t)c->labels << 32 ^ c->size * 0x9e3779b97f4a7c15ULL ^ (uint64_t)c->device << 60);
}

static bool same(const void *record, const void *content)
{
	const struct site *s = record;
	const struct content *c = content;
	return s->size == c->size && s->labels == c->labels && s->device == c->device;
}

static uint32_t make(const struct content *c)
{
	const struct site made = {.stack = c->stack, .labels = c->labels, .device = c->device, .size = c->size};
	uint64_t at = region_reserve(sizeof made + site_measures(&made) * sizeof *made.flow);
	if (at == 0)
		return 0;
	*(struct site *)region_at(at) = made;
	return at / 16;
}

// The word of a stack's size_bits that a hash has bits in, and these three bits.
static size_t size_word(uint64_t hash)
{
	return (hash >> 48) * SIZE_WORDS >> 16;
}

static uint32_t size_bits(uint64_t hash)
{
	return 1U << (hash >> 32 & 31) | 1U << (hash >> 37 & 31) | 1U << (hash >> 42 & 31);
}

// Whether a stack certainly has no size with this hash. If it has sixteen sizes, the bits do not show it for one in 39 of
// the sizes that it lacks: then the result is false, and a search is needed.
static bool lacks_size(const struct stack *s, uint64_t hash)
{
	return (~__atomic_load_n(&s->size_bits[size_word(hash)], __ATOMIC_RELAXED) & size_bits(hash)) != 0;
}

// Counts one more size of a stack. False if it has as many as it may.
static bool count_size(struct stack *s, uint64_t hash)
{
	uint32_t sizes = __atomic_load_n(&s->sizes, __ATOMIC_RELAXED);
	if (sizes >= SIZES_PER_STACK)
		return false;
	__atomic_fetch_or(&s->size_bits[size_word(hash)], size_bits(hash), __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(&s->sizes, &sizes, sizes + 1, 1, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		if (sizes >= SIZES_PER_STACK)
			return false;
	return true;
}

// The site with the content, from a ref of a list on and before another; 0 for none.
static uint32_t find_sized(uint32_t from, uint32_t to, const struct content *c)
{
	for (; from != to; from = ((const struct site *)region_ref(from))->next[1])
		if (same(region_ref(from), c))
			return from;
	return 0;
}

// Links made in front of a list. No site from seen on has the content. If another thread linked a site with this content
// meanwhile, returns that one, and made stays unused.
static uint32_t link_sized(uint32_t *list, uint32_t seen, uint32_t made, const struct content *c)
{
	struct site *site = region_ref(made);
	uint32_t first = seen, other;
	site->next[1] = first;
	while (!__atomic_compare_exchange_n(list, &first, made, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
		if ((other = find_sized(first, seen, c)) != 0)
			return other;
		site->next[1] = seen = first;
	}
	return made;
}

// Makes and links a site with a size of its own, which the caller has counted in the stack's sizes; takes the count back if
// no site was added.
static uint32_t add_sized(struct stack *s, uint32_t *list, uint32_t seen, const struct content *c)
{
	uint32_t made = make(c), linked = made == 0 ? 0 : link_sized(list, seen, made, c);
	if (made == 0 || linked != made) {
		__atomic_fetch_sub(&s->sizes, 1, __ATOMIC_RELAXED);
		return linked;
	}
	count(COUNT_SITES);
	if (__atomic_load_n(&s->sizes, __ATOMIC_RELAXED) == 1)
		stack_likely(s, made);
	return made;
}

static uint32_t find_in_table(const struct size_table *t, uint64_t hash, const struct content *c)
{
	uint32_t equal = 0; // a bit for each tag: no branch depends on a single tag
	for (int i = 0; i < SIZES_PER_STACK; i++)
		equal |= (uint32_t)(t->tags[i] == (uint32_t)hash) << i;
	for (; equal != 0; equal &= equal - 1) {
		uint32_t ref = t->sites[__builtin_ctz(equal)];
		if (same(region_ref(ref), c))
			return ref;
	}
	return 0;
}

// Enters a stack's sites with a size of their own, and returns how many these are.
static int fill(struct size_table *t, const struct stack *s)
{
	int filled = 0;
	for (int i = 0; i < STACK_LISTS; i++)
		for (uint32_t ref = __atomic_load_n(&s->sized[i], __ATOMIC_ACQUIRE); ref != 0 && filled < SIZES_PER_STACK; filled++) {
			const struct site *site = region_ref(ref);
			const struct content c = {.labels = site->labels, .size = site->size, .device = site->device};
			t->tags[filled] = (uint32_t)hash_of(&c);
			t->sites[filled] = ref;
			ref = site->next[1];
		}
	return filled;
}

// Makes the table of a stack. While another thread still links a size that it has counted, or if the region is full, there is
// none. If all are linked, no other ever will be.
static void make_table(struct stack *s)
{
	struct size_table t;
	uint32_t none = 0;
	uint64_t at = fill(&t, s) == SIZES_PER_STACK ? region_reserve(sizeof(struct size_table)) : 0;
	if (at == 0)
		return;
	*(struct size_table *)region_at(at) = t;
	__atomic_compare_exchange_n(&s->table, &none, at / 16, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}

static uint32_t find_size(const struct stack *s, uint32_t first, uint64_t hash, const struct content *c)
{
	uint32_t table = __atomic_load_n(&s->table, __ATOMIC_ACQUIRE);
	return table != 0 ? find_in_table(region_ref(table), hash, c) : find_sized(first, 0, c);
}

#define NONE UINT32_MAX

// Returns the site with a size of its own; makes it if needed. 0 when the region is full, NONE if the stack has too many sizes.
// The bits of a site are set before it is linked, so a size whose bits are not set is in no list, and nothing is searched.
static uint32_t intern_size(struct stack *stack, const struct content *c)
{
	uint64_t hash = hash_of(c);
	uint32_t *list = &stack->sized[hash % STACK_LISTS], first = __atomic_load_n(list, __ATOMIC_ACQUIRE);
	uint32_t ref = lacks_size(stack, hash) ? 0 : find_size(stack, first, hash, c);
	if (ref != 0)
		return ref;
	return count_size(stack, hash) ? add_sized(stack, list, first, c) : NONE;
}

static uint32_t intern_mixed(struct stack *stack, const struct content *c)
{
	struct trie t = {&stack->mixed, hash_of(c)};
	uint32_t ref = trie_find(&t, same, c);
	if (ref != 0)
		return ref;
	uint32_t made = make(c), linked = made == 0 ? 0 : trie_link(&t, made, same, c);
	if (made != 0 && linked == made) {
		count(COUNT_SITES);
		stack_likely(stack, made);
		make_table(stack);
	}
	return linked;
}

uint32_t site_intern(uint32_t stack_ref, uint64_t size, uint32_t labels, uint32_t slot)
{
	struct content c = {.stack = stack_ref, .labels = labels, .size = size, .device = cgoheap_thread.kind.place};
	struct stack *stack = region_ref(stack_ref);
	uint32_t mixed = __atomic_load_n(&stack->mixed, __ATOMIC_RELAXED);
	if (mixed != 0)
		site_prefetch(mixed);
	uint32_t ref = size == SITE_MIXED ? NONE : intern_size(stack, &c);
	if (ref != NONE)
		return ref;
	if (size != SITE_MIXED)
		count_in(slot, COUNT_MIXED, 1);
	c.size = SITE_MIXED;
	return intern_mixed(stack, &c);
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
	for (size_t i = 0; i < STACK_LISTS; i++)
		trie_each(__atomic_load_n(&s->sized[i], __ATOMIC_ACQUIRE), v->visit, v->argument);
	trie_each(__atomic_load_n(&s->mixed, __ATOMIC_ACQUIRE), v->visit, v->argument);
}

void sites_each(trie_visit *visit, const void *argument)
{
	const struct visit v = {visit, argument};
	struct stack_head *heads = region_at(cgoheap_region->stack_heads);
	for (uint64_t i = 0; i < cgoheap_region->heads; i++)
		trie_each(__atomic_load_n(&heads[i].first, __ATOMIC_ACQUIRE), visit_sites, &v);
}

void sites_settle(uint32_t parity)
{
	sites_each(settle, &parity);
	carries_settle(parity);
}
