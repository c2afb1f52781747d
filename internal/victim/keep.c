#define _GNU_SOURCE
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "victim.h"

struct keeper {
	pthread_t thread;
	const struct victim_keep *what;
	void **blocks;
	pthread_barrier_t *full, *freed;
};

static void *victim_kept(size_t size)
{
	void *p = malloc(size);
	if (p != NULL)
		memset(p, 1, size);
	return p;
}

static void *keep(void *argument)
{
	struct keeper *k = argument;
	for (size_t i = 0; i < k->what->blocks; i++)
		k->blocks[i] = victim_kept(k->what->size);
	pthread_barrier_wait(k->full); // so that each thread has an arena of its own
	for (size_t i = 0; i < k->what->blocks; i++)
		if (i % k->what->every != 0) {
			free(k->blocks[i]);
			k->blocks[i] = NULL;
		}
	pthread_barrier_wait(k->freed);
	return NULL;
}

void victim_keep(const struct victim_keep *what, void **blocks)
{
	struct keeper keepers[VICTIM_KEEPERS];
	pthread_barrier_t full, freed;
	size_t n = what->threads < VICTIM_KEEPERS ? what->threads : VICTIM_KEEPERS;
	pthread_barrier_init(&full, NULL, n);
	pthread_barrier_init(&freed, NULL, n);
	for (size_t i = 0; i < n; i++) {
		keepers[i] = (struct keeper){.what = what, .blocks = blocks + i * what->blocks, .full = &full, .freed = &freed};
		pthread_create(&keepers[i].thread, NULL, keep, &keepers[i]);
	}
	for (size_t i = 0; i < n; i++)
		pthread_join(keepers[i].thread, NULL);
	pthread_barrier_destroy(&full);
	pthread_barrier_destroy(&freed);
}

int victim_malloc_info(char *text, size_t size)
{
#ifdef __GLIBC__
	FILE *f = fmemopen(text, size, "w");
	if (f == NULL)
		return -1;
	setvbuf(f, NULL, _IONBF, 0);
	int failed = malloc_info(0, f);
	return fclose(f) == 0 ? failed : -1;
#else
	(void)text;
	(void)size;
	return -1;
#endif
}

void victim_map_blocks_from(int bytes)
{
#ifdef M_MMAP_THRESHOLD
	mallopt(M_MMAP_THRESHOLD, bytes);
#else
	(void)bytes;
#endif
}

void victim_allow_arenas(int n)
{
#ifdef M_ARENA_MAX
	mallopt(M_ARENA_MAX, n);
#else
	(void)n;
#endif
}
