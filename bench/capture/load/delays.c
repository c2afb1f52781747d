#include "delays.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

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
	int schedstat;
	double wall, queued;
};

// How long this thread could have run but had to wait for a processor: the second number of schedstat. If the kernel
// does not have it, that wait counts as a delay.
static double queued(int schedstat)
{
	char text[80] = {0};
	unsigned long long ran, waited = 0;
	if (pread(schedstat, text, sizeof text - 1, 0) <= 0 || sscanf(text, "%llu %llu", &ran, &waited) != 2)
		return 0;
	return (double)waited;
}

// The time in the queue is read outside of the wall clock's interval: a thread that loses the processor between the two
// readings was not delayed.
static struct watch watch_begin(int schedstat)
{
	double before = queued(schedstat);
	return (struct watch){schedstat, now(CLOCK_MONOTONIC), before};
}

static void watch_end(struct watch w, struct delay *longest)
{
	double wall = now(CLOCK_MONOTONIC) - w.wall, kept = wall - (queued(w.schedstat) - w.queued);
	longest->wall = wall > longest->wall ? wall : longest->wall;
	longest->kept = kept > longest->kept ? kept : longest->kept;
}

struct watched {
	uint64_t seed;
	struct delay longest;
};

enum { LIVE = 512 };

static void run(void *argument)
{
	struct watched *watched = argument;
	void *blocks[LIVE] = {0};
	int schedstat = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
	uint64_t random = watched->seed * 0x9e3779b97f4a7c15;
	while (!__atomic_load_n(&ended, __ATOMIC_RELAXED)) {
		random ^= random << 13, random ^= random >> 7, random ^= random << 17;
		void **block = &blocks[random % LIVE];
		struct watch w = watch_begin(schedstat);
		free(*block);
		watch_end(w, &watched->longest);
		w = watch_begin(schedstat);
		*block = routes_malloc(random >> 32, 4, 16 + (random >> 48) % 497);
		watch_end(w, &watched->longest);
	}
	for (int i = 0; i < LIVE; i++)
		free(blocks[i]);
	if (schedstat >= 0)
		close(schedstat);
}

struct delay delays_run(uint64_t seed)
{
	struct watched w = {.seed = seed};
	levels_down(9, run, &w);
	return w.longest;
}
