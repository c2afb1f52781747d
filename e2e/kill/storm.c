#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "storm.h"

size_t size_of(int site)
{
	return 16 + (size_t)site * site * 37;
}

static void count(uint64_t *n)
{
	__atomic_fetch_add(n, 1, __ATOMIC_SEQ_CST);
}

#define SITE(n)                                                                                                        \
	static __attribute__((noinline)) void *site_##n(struct site *s)                                                \
	{                                                                                                              \
		count(&s->begun);                                                                                      \
		void *p = malloc(size_of(n));                                                                          \
		count(&s->allocated);                                                                                  \
		return p;                                                                                              \
	}

SITE(0) SITE(1) SITE(2) SITE(3) SITE(4) SITE(5) SITE(6) SITE(7)
SITE(8) SITE(9) SITE(10) SITE(11) SITE(12) SITE(13) SITE(14) SITE(15)

static void *(*const sites[SITES])(struct site *) = {site_0, site_1, site_2, site_3, site_4, site_5, site_6, site_7,
						     site_8, site_9, site_10, site_11, site_12, site_13, site_14, site_15};

struct work {
	struct truth *truth;
	uint64_t random;
	struct timespec end;
	pthread_t thread;
};

static uint64_t below(struct work *w, uint64_t limit)
{
	w->random = w->random * 6364136223846793005ULL + 1442695040888963407ULL;
	return (w->random >> 33) % limit;
}

static int over(const struct timespec *end)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec > end->tv_sec || (now.tv_sec == end->tv_sec && now.tv_nsec > end->tv_nsec);
}

#define HELD 256

static void drop(struct truth *t, void **p, int site)
{
	if (*p == NULL)
		return;
	count(&t->sites[site].leaving);
	free(*p);
	count(&t->sites[site].freed);
	*p = NULL;
}

static void *work(void *argument)
{
	struct work *w = argument;
	void *held[HELD] = {0};
	int of[HELD] = {0};
	while (!over(&w->end)) {
		for (int i = 0; i < 50; i++) {
			uint64_t at = below(w, HELD);
			drop(w->truth, &held[at], of[at]);
			of[at] = (int)below(w, SITES);
			held[at] = sites[of[at]](&w->truth->sites[of[at]]);
		}
	}
	for (int i = 0; i < HELD; i++)
		drop(w->truth, &held[i], of[i]);
	return NULL;
}

void storm(struct truth *t, int threads, int microseconds)
{
	struct work all[16];
	struct timespec end;
	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_nsec += (long)microseconds * 1000;
	end.tv_sec += end.tv_nsec / 1000000000;
	end.tv_nsec %= 1000000000;
	for (int i = 0; i < threads; i++) {
		all[i] = (struct work){.truth = t, .random = (uint64_t)(i + 1) * 0x9e3779b97f4a7c15ULL ^ (uint64_t)end.tv_nsec, .end = end};
		pthread_create(&all[i].thread, NULL, work, &all[i]);
	}
	for (int i = 0; i < threads; i++)
		pthread_join(all[i].thread, NULL);
}
