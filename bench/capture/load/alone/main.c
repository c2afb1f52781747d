// The work in a C program, for profilers that cannot look into a Go program, and for the allocators that they use.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../pairs.h"

static struct order order = {.pairs = 1000000, .live = 4096, .depth = 9, .climb = 1, .least = 16, .most = 512};
static long threads = 1, segments = 1, paced;

static const struct flag {
	const char *name;
	long *value;
} flags[] = {
	{"-pairs=", &order.pairs}, {"-live=", &order.live},   {"-depth=", &order.depth},
	{"-climb=", &order.climb}, {"-least=", &order.least}, {"-routes=", &order.routes},
	{"-most=", &order.most},   {"-threads=", &threads},   {"-segments=", &segments},
	{"-paced=", &paced},
};

static int read_flag(const char *argument)
{
	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
		size_t n = strlen(flags[i].name);
		if (strncmp(argument, flags[i].name, n) == 0) {
			*flags[i].value = atol(argument + n);
			return 1;
		}
	}
	return 0;
}

static pthread_barrier_t together;

struct thread {
	pthread_t id;
	uint64_t seed;
	struct found found;
};

static void *work(void *argument)
{
	struct thread *t = argument;
	struct pairs *p = pairs_open(&order, t->seed);
	for (long i = 0; i < segments; i++) {
		pthread_barrier_wait(&together);
		t->found = pairs_run(p);
		pthread_barrier_wait(&together);
		pthread_barrier_wait(&together);
	}
	pairs_close(p);
	return NULL;
}

static void print(const struct thread *all)
{
	struct found slowest = {0, 0};
	for (long i = 0; i < threads; i++) {
		slowest.wall = all[i].found.wall > slowest.wall ? all[i].found.wall : slowest.wall;
		slowest.cpu = all[i].found.cpu > slowest.cpu ? all[i].found.cpu : slowest.cpu;
	}
	printf("%.3f %.3f\n", slowest.wall, slowest.cpu);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (!read_flag(argv[i])) {
			fprintf(stderr, "unknown: %s\n", argv[i]);
			return 2;
		}
	}
	struct thread all[64] = {0};
	pthread_barrier_init(&together, NULL, (unsigned)threads + 1);
	for (long i = 0; i < threads; i++) {
		all[i].seed = (uint64_t)i + 1;
		pthread_create(&all[i].id, NULL, work, &all[i]);
	}
	for (long i = 0; i < segments; i++) {
		if (paced && getchar() == EOF)
			return 1;
		pthread_barrier_wait(&together);
		pthread_barrier_wait(&together);
		print(all);
		pthread_barrier_wait(&together);
	}
	for (long i = 0; i < threads; i++)
		pthread_join(all[i].id, NULL);
	return 0;
}
