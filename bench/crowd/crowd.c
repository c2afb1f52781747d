#include "crowd.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

static struct member {
	_Alignas(128) uint64_t pairs, longest, random;
	int live;
} *members;

static int count;
static bool timed;
static pthread_barrier_t started; // otherwise running threads would keep the others from being started

static uint64_t now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static uint64_t next(struct member *m)
{
	m->random = m->random * 6364136223846793005ULL + 1442695040888963407ULL;
	return m->random >> 33;
}

static void note(struct member *m, uint64_t since)
{
	uint64_t took = now() - since;
	if (took > __atomic_load_n(&m->longest, __ATOMIC_RELAXED))
		__atomic_store_n(&m->longest, took, __ATOMIC_RELAXED);
}

static void replace(struct member *m, void **block)
{
	bool times = __atomic_load_n(&timed, __ATOMIC_RELAXED);
	uint64_t since = times ? now() : 0;
	free(*block);
	if (times) {
		note(m, since);
		since = now();
	}
	*block = malloc(16 + next(m) % 497);
	if (times)
		note(m, since);
}

// The chains of calls: each of four levels has two call sites.
#define LEVEL(name, below)                                                                                                 \
	static __attribute__((noinline)) void name(struct member *m, void **block, unsigned way)                           \
	{                                                                                                                  \
		if (way & 1)                                                                                               \
			below(m, block, way >> 1);                                                                         \
		else                                                                                                       \
			below(m, block, way >> 1);                                                                         \
		__asm__ volatile("");                                                                                      \
	}

static __attribute__((noinline)) void last(struct member *m, void **block, unsigned way)
{
	(void)way;
	replace(m, block);
	__asm__ volatile("");
}

LEVEL(fourth, last)
LEVEL(third, fourth)
LEVEL(second, third)
LEVEL(first, second)

static void *member(void *of)
{
	struct member *m = of;
	void **blocks = calloc(m->live, sizeof *blocks);
	pthread_barrier_wait(&started);
	for (;;) {
		first(m, &blocks[next(m) % m->live], next(m) % 16);
		__atomic_store_n(&m->pairs, m->pairs + 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

bool crowd_start(int threads, int live)
{
	members = aligned_alloc(128, threads * sizeof *members);
	pthread_barrier_init(&started, NULL, threads);
	for (count = 0; count < threads; count++) {
		pthread_t t;
		members[count] = (struct member){.random = count, .live = live};
		if (pthread_create(&t, NULL, member, &members[count]) != 0)
			return false;
	}
	return true;
}

uint64_t crowd_pairs(void)
{
	uint64_t pairs = 0;
	for (int i = 0; i < count; i++)
		pairs += __atomic_load_n(&members[i].pairs, __ATOMIC_RELAXED);
	return pairs;
}

void crowd_time(void)
{
	__atomic_store_n(&timed, true, __ATOMIC_RELAXED);
}

uint64_t crowd_longest(void)
{
	uint64_t longest = 0;
	for (int i = 0; i < count; i++) {
		uint64_t took = __atomic_exchange_n(&members[i].longest, 0, __ATOMIC_RELAXED);
		if (took > longest)
			longest = took;
	}
	return longest;
}
