//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

// Stacks that share their outer frames share memory: a node is a frame and the node of its caller, and a stack is the node
// of its leaf.
//
//	frame <- node -> node of the caller -> ... -> node of the root -> enum end
//	           ^
//	         stack, found by the hash of all its frames
//
// A stack is identified by a 128-bit hash of its frames: docs/decisions/0017-stacks-as-a-tree.md says why that is
// enough. So only the record of a known stack is read. For a new stack, frames and nodes are looked up one by one, from
// the trunk that the caller knows; frames and nodes are identified by their content.
#include "stacks.h"

#include "hash.h"
#include "region.h"
#include "site.h"
#include "trie.h"

static bool same_stack(const void *record, const void *content)
{
	const struct stack *s = record;
	const struct stack_hash *hash = content;
	return s->hash.of[0] == hash->of[0] && s->hash.of[1] == hash->of[1];
}

static bool same_node(const void *record, const void *content)
{
	const struct node *n = record, *c = content;
	return n->caller == c->caller && n->frame == c->frame;
}

static bool same_frame(const void *record, const void *content)
{
	return ((const struct frame *)record)->frame == *(const uint64_t *)content;
}

static uint32_t intern_frame(uint64_t frame)
{
	struct trie t = trie_from(cgoheap_region->frame_heads, mix64(frame));
	uint32_t ref = trie_find(&t, same_frame, &frame);
	if (ref != 0)
		return ref;
	uint64_t at = region_reserve(sizeof(struct frame));
	if (at == 0)
		return 0;
	((struct frame *)region_at(at))->frame = frame;
	return trie_link(&t, at / 16, same_frame, &frame);
}

static uint32_t intern_node(uint32_t caller, uint32_t frame)
{
	const struct node content = {.caller = caller, .frame = frame};
	struct trie t = trie_from(cgoheap_region->node_heads, mix64((uint64_t)caller << 32 | frame));
	uint32_t ref = frame == 0 ? 0 : trie_find(&t, same_node, &content);
	if (ref != 0)
		return ref;
	uint64_t at = frame == 0 ? 0 : region_reserve(sizeof(struct node));
	if (at == 0)
		return 0;
	struct node *n = region_at(at);
	n->caller = caller;
	n->frame = frame;
	return trie_link(&t, at / 16, same_node, &content);
}

static uint32_t node_of(struct trunk trunk)
{
	for (uint32_t i = 0; i < trunk.callers; i++)
		trunk.node = ((const struct node *)region_ref(trunk.node))->caller;
	return trunk.node;
}

static uint32_t make(const uint64_t *frames, uint32_t depth, struct trunk trunk)
{
	uint32_t node = node_of(trunk);
	for (uint32_t i = depth; i > 0; i--)
		if ((node = intern_node(node, intern_frame(frames[i - 1]))) == 0)
			return 0;
	uint64_t at = region_reserve(sizeof(struct stack));
	if (at == 0)
		return 0;
	((struct stack *)region_at(at))->node = node;
	return at / 16;
}

static struct stack_head *head_of(uint64_t hash)
{
	struct stack_head *first = region_at(cgoheap_region->stack_heads);
	return &first[hash & (cgoheap_region->heads - 1)];
}

void stack_prefetch(struct stack_hash hash)
{
	__builtin_prefetch(head_of(mix64(hash.of[0])));
}

void stack_prefetch_first(struct stack_hash hash)
{
	const struct stack_head *head = head_of(mix64(hash.of[0]));
	uint32_t first = __atomic_load_n(&head->first, __ATOMIC_RELAXED), likely = __atomic_load_n(&head->likely, __ATOMIC_RELAXED);
	__builtin_prefetch(region_ref(first));
	if (likely != 0)
		site_prefetch(likely);
}

void stack_likely(const struct stack *s, uint32_t site)
{
	__atomic_store_n(&head_of(s->hash.of[0])->likely, site, __ATOMIC_RELAXED);
}

uint32_t stack_intern_hashed(const uint64_t *frames, uint32_t depth, struct trunk trunk, struct stack_hash hash)
{
	hash = (struct stack_hash){{mix64(hash.of[0]), mix64(hash.of[1])}};
	struct stack_head *head = head_of(hash.of[0]);
	struct trie t = {&head->first, hash.of[0] >> 32};
	uint32_t ref = trie_find(&t, same_stack, &hash);
	if (ref != 0)
		return ref;
	uint32_t made = make(frames, depth, trunk);
	if (made == 0)
		return 0;
	((struct stack *)region_ref(made))->hash = hash;
	ref = trie_link(&t, made, same_stack, &hash);
	if (ref == made)
		count(COUNT_STACKS);
	return ref;
}

uint32_t stack_intern(const uint64_t *frames, uint32_t depth, struct trunk trunk)
{
	struct stack_hash hash = trunk.hash;
	for (uint32_t i = depth; i > 0; i--)
		hash = stack_hash(hash, frames[i - 1]);
	return stack_intern_hashed(frames, depth, trunk, hash);
}
