// The peak against the obvious way to know it: copy everything whenever the total is higher than ever.
#include <pthread.h>
#include <string.h>

#include "../../lifetimes.h"
#include "../../peak.h"
#include "../../sites.h"
#include "../../stacks.h"
#include "check.h"

#define SITES 16
#define THREADS 4

static struct site *sites[SITES];

static void begin(void)
{
	if (cgoheap_region != NULL)
		region_close();
	check(region_open(16 << 20, 1) == 0);
	for (uint64_t i = 0; i < SITES; i++)
		sites[i] = region_ref(site_intern(stack_intern(&i, 1, 0), i, 0));
}

static uint64_t next(uint64_t *random)
{
	*random = *random * 6364136223846793005ULL + 1442695040888963407ULL;
	return *random >> 33;
}

static struct weight weight_of(uint64_t site)
{
	return (struct weight){1 << 16, (site + 1) << 6};
}

// What is in use now and what was at the highest total, kept the slow way.
static struct slow {
	struct weight now[SITES], then[SITES];
	uint64_t total, highest;
} slow;

static void slow_change(uint64_t site, uint64_t objects, uint64_t bytes)
{
	slow.now[site].objects += objects;
	slow.now[site].bytes += bytes;
	slow.total += bytes;
	if (slow.total > slow.highest) {
		slow.highest = slow.total;
		memcpy(slow.then, slow.now, sizeof slow.then);
	}
}

static void compare(void)
{
	check(peak_freeze());
	for (int i = 0; i < SITES; i++) {
		check(sites[i]->peak.then.objects == slow.then[i].objects);
		check(sites[i]->peak.then.bytes == slow.then[i].bytes);
	}
	peak_thaw();
	check(peak_missed() == 0);
}

static void slow_reset(void)
{
	peak_reset();
	slow.highest = slow.total;
	memcpy(slow.then, slow.now, sizeof slow.then);
}

static void one_thread(void)
{
	uint64_t random = 1;
	begin();
	memset(&slow, 0, sizeof slow);
	for (int i = 0; i < 200000 / SCALE; i++) {
		uint64_t site = next(&random) % SITES;
		struct weight w = weight_of(site);
		if (slow.now[site].objects == 0 || next(&random) % 256 < (i / 1000 % 2 ? 100 : 140)) {
			peak_add(sites[site], w);
			slow_change(site, w.objects, w.bytes);
		} else {
			peak_subtract(sites[site], w);
			slow_change(site, -w.objects, -w.bytes);
		}
		if (next(&random) % 500 == 0)
			compare();
		if (next(&random) % 5000 == 0)
			slow_reset();
	}
	compare();
}

// In each round every thread adds to sites of all threads and takes it away again; at the barrier between lies the
// round's highest moment. Rounds differ in height.
static pthread_barrier_t barrier;
#define ROUNDS (400 / SCALE)

static int height(int round)
{
	return (round * 37 % 101 + 1) * 4;
}

static void change(void (*way)(struct site *, struct weight), int from, int n)
{
	for (int i = 0; i < n; i++)
		way(sites[(from + i) % SITES], weight_of((from + i) % SITES));
}

static void *rounds(void *number)
{
	int from = (int)(uintptr_t)number;
	for (int round = 0; round < ROUNDS; round++) {
		change(peak_add, from, height(round));
		pthread_barrier_wait(&barrier); // the moment
		pthread_barrier_wait(&barrier);
		change(peak_subtract, from, height(round));
		pthread_barrier_wait(&barrier);
		pthread_barrier_wait(&barrier);
	}
	return NULL;
}

// The state at the barrier of the highest round.
static void expect(int best)
{
	check(peak_freeze());
	for (int i = 0; i < SITES; i++) {
		uint64_t objects = 0;
		for (int t = 1; t <= THREADS; t++)
			for (int n = 0; n < height(best); n++)
				objects += (t + n) % SITES == i;
		if (cgoheap_counted(COUNT_PEAK_INEXACT) != 0)
			continue;
		check(sites[i]->peak.then.objects == objects << 16);
		check(sites[i]->peak.then.bytes == objects * weight_of(i).bytes);
	}
	peak_thaw();
}

static void many_threads(void)
{
	pthread_t t[THREADS];
	int best = 0;
	begin();
	pthread_barrier_init(&barrier, NULL, THREADS + 1);
	for (uintptr_t i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, rounds, (void *)(i + 1));
	for (int round = 0; round < ROUNDS; round++) {
		pthread_barrier_wait(&barrier);
		best = height(round) > height(best) ? round : best;
		if (round % 3 == 0)
			expect(best);
		pthread_barrier_wait(&barrier);
		pthread_barrier_wait(&barrier);
		expect(best);
		if (round % 50 == 49) {
			peak_reset();
			best = round + 1;
		}
		pthread_barrier_wait(&barrier);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	check(cgoheap_region->inuse.now == 0);
	printf("    %lu changes were made without waiting longer\n", cgoheap_counted(COUNT_PEAK_INEXACT));
}

static int stop;

static void *churn(void *number)
{
	uint64_t random = (uintptr_t)number;
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		int from = next(&random) % SITES, n = next(&random) % 64;
		change(peak_add, from, n);
		change(peak_subtract, from, n);
	}
	return NULL;
}

// The copies come from different instants, but differ from the total by no more than what was under way.
static void under_way(void)
{
	pthread_t t[THREADS];
	begin();
	stop = 0;
	for (uintptr_t i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, churn, (void *)(i + 1));
	for (int i = 0; i < 2000 / SCALE; i++) {
		uint64_t sum = 0, highest, most = THREADS * weight_of(SITES - 1).bytes;
		check(peak_freeze());
		highest = (cgoheap_region->inuse.peak >> 1) & ((1ULL << 52) - 1);
		for (int k = 0; k < SITES; k++)
			sum += sites[k]->peak.then.bytes;
		check(sum <= highest + most && sum + most >= highest);
		peak_thaw();
		if (i % 10 == 0)
			peak_reset();
	}
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	for (int k = 0; k < SITES; k++) {
		struct peak *p = &sites[k]->peak;
		check(p->now.bytes == 0 && p->now.objects == 0);
	}
}

static void held_still(void)
{
	begin();
	change(peak_add, 0, 2);
	check(peak_freeze());
	change(peak_add, 0, SITES);
	check(sites[0]->peak.then.objects == 1 << 16 && sites[5]->peak.then.objects == 0);
	change(peak_subtract, 0, SITES);
	change(peak_add, 7, 1);
	peak_thaw();
	check(peak_missed() > 0);
	check(peak_freeze());
	check(sites[7]->peak.then.objects == 1 << 16 && sites[5]->peak.then.objects == 0);
	peak_thaw();
	change(peak_add, 0, SITES);
	check(peak_missed() == 0);
}

static uint64_t objects_within(int class)
{
	struct lifetimes *l = region_ref(sites[0]->lifetimes);
	return l->base[class].objects;
}

static void lifetimes(void)
{
	static const uint32_t ticks[] = {0, 5, 6, 59, 60, 596, 597, 3576, 3577, 35762, 35763, 214576, 214577, 1u << 31};
	begin();
	for (size_t i = 0; i < sizeof ticks / sizeof *ticks; i++)
		lifetime_add(sites[0], i & 1, ticks[i], weight_of(0));
	check(objects_within(0) == 0);
	sites_fold(0);
	sites_fold(1);
	for (int class = 0; class < REGION_LIFETIMES; class ++)
		check(objects_within(class) == 2 << 16);
	check(sites[1]->lifetimes == 0);
}

int main(void)
{
	run("the peak is that of copying everything", one_thread);
	run("the peak of many threads is the state at its moment", many_threads);
	run("while threads run, the peak differs by what is under way", under_way);
	run("what rises while the peak is held still is told", held_still);
	run("lifetimes fall into their classes", lifetimes);
}
