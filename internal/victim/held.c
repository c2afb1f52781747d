#include <stdint.h>
#include <stdlib.h>

#include "victim.h"

/* A node of a queue. */
struct node {
	struct node *next;
};

enum { MOST = 1024 };

void *victim_cache[MOST];
struct node *victim_fifo;
static uintptr_t lost[MOST]; /* complements of addresses: nothing points to those blocks, and they can be freed */
static size_t cached, forgotten;

VICTIM_SITE void victim_lose(size_t size)
{
	void *block = malloc(size);
	VICTIM_USE(block);
	lost[forgotten++ % MOST] = ~(uintptr_t)block;
}

VICTIM_SITE void victim_cache_put(size_t size)
{
	void *block = malloc(size);
	VICTIM_USE(block);
	victim_cache[cached++ % MOST] = block;
}

VICTIM_SITE void victim_fifo_push(size_t size)
{
	struct node *block = calloc(1, size); /* what was there before would hold other blocks */
	VICTIM_USE(block);
	block->next = victim_fifo;
	victim_fifo = block;
}

void victim_held_free(void)
{
	for (size_t i = 0; i < MOST; i++) {
		free(victim_cache[i]);
		victim_cache[i] = NULL;
		if (lost[i])
			free((void *)~lost[i]);
		lost[i] = 0;
	}
	while (victim_fifo) {
		struct node *first = victim_fifo;
		victim_fifo = first->next;
		free(first);
	}
	cached = forgotten = 0;
}
