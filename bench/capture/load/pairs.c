#include "pairs.h"

#include <stdlib.h>

#include "clock.h"
#include "levels.h"
#include "routes.h"

// Of one thread. Threads share nothing.
struct pairs {
	struct order order;
	uint64_t random;
	struct found found;
	uint64_t turns; // of the allocation at the bottom of the levels, its size and the block
	size_t size;
	void *block;
	void *blocks[];
};

static uint64_t next(uint64_t *random)
{
	uint64_t x = *random;
	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return *random = x;
}

static void allocate_below(void *argument)
{
	struct pairs *p = argument;
	p->block = routes_malloc(p->turns, p->order.routes, p->size);
	STAY;
}

static void *allocate(struct pairs *p, uint64_t turns, size_t size)
{
	if (!p->order.climb)
		return routes_malloc(turns, p->order.routes, size);
	p->turns = turns;
	p->size = size;
	levels_down(p->order.depth, allocate_below, p);
	return p->block;
}

static void replace(struct pairs *p, long count)
{
	const struct order o = p->order;
	uint64_t random = p->random, width = (uint64_t)(o.most - o.least + 1);
	for (long i = 0; i < count; i++) {
		uint64_t r = next(&random);
		void **block = &p->blocks[r & (uint64_t)(o.live - 1)];
		size_t size = (size_t)o.least + (size_t)((r >> 32) * width >> 32);
		free(*block);
		*block = allocate(p, r >> 20, size);
		*(char *)*block = 1;
	}
	p->random = random;
}

static void measure(void *argument)
{
	struct pairs *p = argument;
	replace(p, p->order.pairs / 5); // another process may have used the caches since the last segment
	double wall = now(CLOCK_MONOTONIC), cpu = now(CLOCK_THREAD_CPUTIME_ID);
	replace(p, p->order.pairs);
	p->found.wall = (now(CLOCK_MONOTONIC) - wall) / (double)p->order.pairs;
	p->found.cpu = (now(CLOCK_THREAD_CPUTIME_ID) - cpu) / (double)p->order.pairs;
}

struct found pairs_run(struct pairs *p)
{
	if (p->order.climb)
		measure(p);
	else
		levels_down(p->order.depth, measure, p);
	return p->found;
}

struct pairs *pairs_open(const struct order *o, uint64_t seed)
{
	struct pairs *p = calloc(1, sizeof *p + (size_t)o->live * sizeof *p->blocks);
	p->order = *o;
	p->random = seed * 0x9e3779b97f4a7c15;
	for (long i = 0; i < o->live; i++)
		p->blocks[i] = malloc((size_t)o->least);
	replace(p, 4 * o->live);
	return p;
}

void pairs_close(struct pairs *p)
{
	for (long i = 0; i < p->order.live; i++)
		free(p->blocks[i]);
	free(p);
}
