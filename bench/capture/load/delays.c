//go:build linux

#include "delays.h"

#include <stdlib.h>

#include "clock.h"
#include "levels.h"
#include "routes.h"

static int ended;

void delays_begin(void)
{
	__atomic_store_n(&ended, 0, __ATOMIC_RELAXED);
}

void delays_end(void)
{
	__atomic_store_n(&ended, 1, __ATOMIC_RELAXED);
}

struct watch {
	double wall, cpu;
};

static struct watch watch_begin(void)
{
	return (struct watch){now(CLOCK_MONOTONIC), now(CLOCK_THREAD_CPUTIME_ID)};
}

static void watch_end(struct watch w, struct found *longest)
{
	double cpu = now(CLOCK_THREAD_CPUTIME_ID) - w.cpu, wall = now(CLOCK_MONOTONIC) - w.wall;
	longest->wall = wall > longest->wall ? wall : longest->wall;
	longest->cpu = cpu > longest->cpu ? cpu : longest->cpu;
}

struct watched {
	uint64_t seed;
	struct found longest;
};

enum { LIVE = 512 };

static void run(void *argument)
{
	struct watched *watched = argument;
	void *blocks[LIVE] = {0};
	uint64_t random = watched->seed * 0x9e3779b97f4a7c15;
	while (!__atomic_load_n(&ended, __ATOMIC_RELAXED)) {
		random ^= random << 13, random ^= random >> 7, random ^= random << 17;
		void **block = &blocks[random % LIVE];
		struct watch w = watch_begin();
		free(*block);
		watch_end(w, &watched->longest);
		w = watch_begin();
		*block = routes_malloc(random >> 32, 4, 16 + (random >> 48) % 497);
		watch_end(w, &watched->longest);
	}
	for (int i = 0; i < LIVE; i++)
		free(blocks[i]);
}

struct found delays_run(uint64_t seed)
{
	struct watched w = {seed, {0, 0}};
	levels_down(9, run, &w);
	return w.longest;
}
