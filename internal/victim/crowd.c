#include <pthread.h>
#include <stdlib.h>

#include "victim.h"

#define MOST_THREADS 64

VICTIM_SITE static void *victim_pair(void)
{
	void *p = malloc(VICTIM_PAIR_SIZE);
	VICTIM_USE(p);
	return p;
}

static void *pairs_of(void *argument)
{
	size_t pairs = *(size_t *)argument;
	while (pairs-- > 0)
		free(victim_pair());
	return NULL;
}

size_t victim_pairs_on_threads(size_t threads, size_t pairs)
{
	pthread_t started[MOST_THREADS];
	size_t n = 0;
	while (n < threads && n < MOST_THREADS && pthread_create(&started[n], NULL, pairs_of, &pairs) == 0)
		n++;
	for (size_t i = 0; i < n; i++)
		pthread_join(started[i], NULL);
	return n * pairs;
}
