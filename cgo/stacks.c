//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

// Stacks that share their outer frames share memory: a node is a frame and the node of its caller, and a stack is the node
// of its leaf.
//
//	frame <- node -> node of the caller -> ... -> node of the root -> enum end
//	           ^
//	         stack, found by the hash of all its frames
//
// A known stack is found by one look-up and compared with its nodes, which lie side by side if they were made at once.
// It is compared only up to the trunk that the caller knows, because nodes are interned too: if the node is the same, so
// is all that is above it. Only a new stack looks up its frames and nodes one by one.
#include "stacks.h"

#include "hash.h"
#include "region.h"
#include "trie.h"

// What a stack is.
struct content {
	const uint64_t *frames;
	uint32_t depth, trunk, tag;
};

static uint64_t frame_of(const struct node *n)
{
	return ((const struct frame *)region_ref(n->frame))->frame;
}

static bool same_stack(const void *record, const void *content)
{
	const struct stack *s = record;
	const struct content *c = content;
	uint32_t ref = s->node;
	if (s->tag != c->tag)
		return false;
	for (uint32_t i = 0; i < c->depth; i++) {
		if (ref < STACK_ENDS)
			return false;
		const struct node *n = region_ref(ref);
		if (frame_of(n) != c->frames[i])
			return false;
		ref = n->caller;
	}
	return ref == c->trunk;
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

static uint32_t make(const struct content *c)
{
	uint32_t node = c->trunk;
	for (uint32_t i = c->depth; i > 0; i--)
		if ((node = intern_node(node, intern_frame(c->frames[i - 1]))) == 0)
			return 0;
	uint64_t at = region_reserve(sizeof(struct stack));
	if (at == 0)
		return 0;
	struct stack *s = region_at(at);
	s->node = node;
	s->tag = c->tag;
	return at / 16;
}

uint32_t stack_intern(const uint64_t *frames, uint32_t depth, struct trunk trunk)
{
	for (uint32_t i = depth; i > 0; i--)
		trunk.hash = stack_hash(trunk.hash, frames[i - 1]);
	uint64_t hash = mix64(trunk.hash);
	struct content c = {.frames = frames, .depth = depth, .trunk = trunk.node, .tag = hash >> 32};
	struct trie t = trie_from(cgoheap_region->stack_heads, hash);
	uint32_t ref = trie_find(&t, same_stack, &c);
	if (ref != 0)
		return ref;
	uint32_t made = make(&c);
	if (made == 0)
		return 0;
	ref = trie_link(&t, made, same_stack, &c);
	if (ref == made)
		count(COUNT_STACKS);
	return ref;
}
