#include "arena.h"

#include "cgoheap.h"

#include <stdlib.h>

// A chunk is a row of blocks, each behind its size:
//
//	next, used │ size, block │ size, block │ free
struct chunk {
	struct chunk *next;
	size_t used; // bytes of rooms
	max_align_t rooms[];
};

struct room {
	size_t bytes; // of the room
	max_align_t block[];
};

struct arena {
	struct chunk *newest;
};

enum { chunk_bytes = 64 << 10 };

static size_t room_bytes(size_t size)
{
	size_t unit = sizeof(max_align_t);
	return sizeof(struct room) + (size + unit - 1) / unit * unit;
}

struct arena *arena_open(void) { return calloc(1, sizeof(struct arena)); }

// The chunk comes from malloc, so the profiler has it: from here on only the blocks in it count.
static struct chunk *arena_grow(struct arena *a)
{
	struct chunk *c = malloc(sizeof *c + chunk_bytes);
	if (c == NULL)
		return NULL;
	cgoheap_pool(c);
	c->next = a->newest;
	c->used = 0;
	return a->newest = c;
}

void *arena_carve(struct arena *a, size_t size, const char *kind)
{
	if (size > chunk_bytes / 2)
		return NULL;
	struct chunk *c = a->newest;
	if (c == NULL || c->used + room_bytes(size) > chunk_bytes)
		c = arena_grow(a);
	if (c == NULL)
		return NULL;
	struct room *r = (struct room *)((char *)c->rooms + c->used);
	r->bytes = room_bytes(size);
	c->used += r->bytes;
	cgoheap_allocated(r->block, size, kind);
	return r->block;
}

static void chunk_close(struct chunk *c)
{
	for (size_t at = 0; at < c->used;) {
		struct room *r = (struct room *)((char *)c->rooms + at);
		at += r->bytes;
		cgoheap_freed(r->block);
	}
	free(c);
}

void arena_close(struct arena *a)
{
	for (struct chunk *c = a->newest, *next; c != NULL; c = next) {
		next = c->next;
		chunk_close(c);
	}
	free(a);
}
