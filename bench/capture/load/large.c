#include "large.h"

#include <malloc.h>
#include <stdlib.h>

#include "clock.h"
#include "levels.h"

static void *volatile kept; // or the compiler would leave out pairs of malloc and free

static void grow(void)
{
	void *p = NULL;
	for (size_t size = 1 << 20; size <= 1 << 30; size += size / 2)
		kept = p = realloc(p, size);
	free(p);
}

static void grow_small(void)
{
	char *p = NULL;
	for (size_t size = 16; size <= 64 << 10; size += size / 2) {
		kept = p = realloc(p, size);
		p[size - 1] = 1;
	}
	free(p);
}

static void zeroed(void)
{
	char *p = calloc(64, 1 << 20);
	kept = p;
	p[0] = 1;
	free(p);
}

static void aligned(void)
{
	static size_t size;
	size = (size + 64) % 512;
	kept = aligned_alloc(64, size + 64);
	free(kept);
}

static void pages(void)
{
	void *p;
	if (posix_memalign(&p, 4096, 1 << 20) == 0)
		free(kept = p);
}

static const struct large {
	void (*run)(void);
	long times;
} larges[LARGES] = {{grow, 400}, {grow_small, 10000}, {zeroed, 10000}, {aligned, 2000000}, {pages, 40000}};

static void measure(void *argument)
{
	struct found *found = argument;
	for (int i = 0; i < LARGES; i++) {
		for (long n = 0; n < larges[i].times / 20; n++)
			larges[i].run();
		double wall = now(CLOCK_MONOTONIC), cpu = now(CLOCK_THREAD_CPUTIME_ID);
		for (long n = 0; n < larges[i].times; n++)
			larges[i].run();
		found[i].wall = (now(CLOCK_MONOTONIC) - wall) / (double)larges[i].times;
		found[i].cpu = (now(CLOCK_THREAD_CPUTIME_ID) - cpu) / (double)larges[i].times;
	}
}

void large_run(struct found found[LARGES])
{
	mallopt(M_MXFAST, 0); // glibc tidies fast bins up at each free beside the end of the heap: which block is there is chance
	levels_down(9, measure, found);
}
