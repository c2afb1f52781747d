#include <stdlib.h>
#include <time.h>

#include "worker.h"

static void *ring[STRESS_LIVE];

static uint64_t now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

SITE void stress_pairs(uint64_t count, struct flow *allocated, uint64_t *nanoseconds)
{
	uint64_t begin = now();
	for (uint64_t i = 0; i < count; i++) {
		size_t size = 16 + stress_random() % 497;
		free(ring[i % STRESS_LIVE]);
		ring[i % STRESS_LIVE] = malloc(size);
		allocated->bytes += size;
	}
	allocated->objects += count;
	*nanoseconds = now() - begin;
}

void stress_end_pairs(void)
{
	for (int i = 0; i < STRESS_LIVE; i++) {
		free(ring[i]);
		ring[i] = NULL;
	}
}
