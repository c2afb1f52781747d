//go:build linux

#define _GNU_SOURCE
#include "pairs.h"

#include <stdlib.h>
#include <time.h>

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

// A frame of its own, of this many bytes at least, and not a jump to the next function.
#define FRAME(bytes)                                                                                                   \
	char room[bytes];                                                                                              \
	__asm__ volatile("" : : "r"(room) : "memory")
#define STAY __asm__ volatile("")

static void *left(uint64_t turns, long routes, size_t size);
static void *right(uint64_t turns, long routes, size_t size);

#define BRANCH(side, bytes)                                                                                            \
	__attribute__((noinline)) static void *side(uint64_t turns, long routes, size_t size)                          \
	{                                                                                                              \
		FRAME(bytes);                                                                                          \
		void *p;                                                                                               \
		if (routes == 0)                                                                                       \
			p = malloc(size);                                                                              \
		else if (turns & 1)                                                                                    \
			p = right(turns >> 1, routes - 1, size);                                                       \
		else                                                                                                   \
			p = left(turns >> 1, routes - 1, size);                                                        \
		STAY;                                                                                                  \
		return p;                                                                                              \
	}
BRANCH(left, 24)
BRANCH(right, 56)

static uint64_t next(uint64_t *random)
{
	uint64_t x = *random;
	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return *random = x;
}

static double now(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void (*const levels[DEEPEST + 1])(struct pairs *);

static void *allocate(struct pairs *p, uint64_t turns, size_t size)
{
	if (!p->order.climb)
		return left(turns, p->order.routes, size);
	p->turns = turns;
	p->size = size;
	levels[p->order.depth](p);
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

__attribute__((noinline)) static void measure(struct pairs *p)
{
	double wall = now(CLOCK_MONOTONIC), cpu = now(CLOCK_THREAD_CPUTIME_ID);
	replace(p, p->order.pairs);
	p->found.wall = (now(CLOCK_MONOTONIC) - wall) / (double)p->order.pairs;
	p->found.cpu = (now(CLOCK_THREAD_CPUTIME_ID) - cpu) / (double)p->order.pairs;
}

__attribute__((noinline)) static void bottom(struct pairs *p)
{
	if (p->order.climb)
		p->block = left(p->turns, p->order.routes, p->size);
	else
		measure(p);
	STAY;
}

// Levels are functions of their own, with frames of different sizes, as a walk must not find the same one each time.
#define LEVEL(n, below)                                                                                                \
	__attribute__((noinline)) static void level##n(struct pairs *p)                                                \
	{                                                                                                              \
		FRAME(16 + n % 7 * 24);                                                                                \
		below(p);                                                                                              \
		STAY;                                                                                                  \
	}
#define LEVELS(a, b, c, d, e, f, g, h, below)                                                                          \
	LEVEL(a, below) LEVEL(b, level##a) LEVEL(c, level##b) LEVEL(d, level##c)                                       \
	LEVEL(e, level##d) LEVEL(f, level##e) LEVEL(g, level##f) LEVEL(h, level##g)

LEVELS(1, 2, 3, 4, 5, 6, 7, 8, bottom)
LEVELS(9, 10, 11, 12, 13, 14, 15, 16, level8)
LEVELS(17, 18, 19, 20, 21, 22, 23, 24, level16)
LEVELS(25, 26, 27, 28, 29, 30, 31, 32, level24)
LEVELS(33, 34, 35, 36, 37, 38, 39, 40, level32)
LEVELS(41, 42, 43, 44, 45, 46, 47, 48, level40)
LEVELS(49, 50, 51, 52, 53, 54, 55, 56, level48)
LEVELS(57, 58, 59, 60, 61, 62, 63, 64, level56)

#define NAMES(a, b, c, d, e, f, g, h) level##a, level##b, level##c, level##d, level##e, level##f, level##g, level##h

static void (*const levels[DEEPEST + 1])(struct pairs *) = {
	bottom,
	NAMES(1, 2, 3, 4, 5, 6, 7, 8),
	NAMES(9, 10, 11, 12, 13, 14, 15, 16),
	NAMES(17, 18, 19, 20, 21, 22, 23, 24),
	NAMES(25, 26, 27, 28, 29, 30, 31, 32),
	NAMES(33, 34, 35, 36, 37, 38, 39, 40),
	NAMES(41, 42, 43, 44, 45, 46, 47, 48),
	NAMES(49, 50, 51, 52, 53, 54, 55, 56),
	NAMES(57, 58, 59, 60, 61, 62, 63, 64),
};

struct found pairs_run(struct pairs *p)
{
	if (p->order.climb)
		measure(p);
	else
		levels[p->order.depth](p);
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
