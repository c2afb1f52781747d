// Compares the peak with the obvious way to find it: copy everything whenever the total is higher than ever.
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../gate.h"
#include "../../gate_slot.h"
#include "../../layout.h"
#include "../../lifetimes.h"
#include "../../peak.h"
#include "../../sites.h"
#include "../../stacks.h"
#include "check.h"
#include "sums.h"

#define SITES 16
#define THREADS 4

static struct site *sites[SITES];

static uint64_t size_of(uint64_t site)
{
	return (site + 1) * 256;
}

static struct weight weight_of(uint64_t site)
{
	return (struct weight){{1 << 16, size_of(site) << 4}};
}

static void begin(void)
{
	if (cgoheap_region != NULL)
		region_close();
	check(layout_open(NULL, 16 << 20, 1) == 0);
	for (uint64_t i = 0; i < SITES; i++)
		sites[i] = region_ref(site_intern(stack_intern(&i, 1, stack_root(0)), i % 2 == 0 ? SITE_MIXED : size_of(i), 0, 0));
}

// A block of the site comes and goes, as it is recorded in a slot of the gate.
static void come(uint32_t slot, uint64_t site)
{
	struct weight w = weight_of(site);
	peak_before(sites[site]);
	site_add(sites[site], slot & 1, w);
	peak_raise(slot, w.of[BYTES]);
}

static void go(uint32_t slot, uint64_t site)
{
	struct weight w = weight_of(site);
	peak_lower(slot, w.of[BYTES]);
	peak_before(sites[site]);
	site_free(sites[site], slot & 1, slot << 16, w);
}

// Returns what the site had in use at the peak.
static struct weight then(uint64_t site)
{
	struct site *s = sites[site];
	struct weight w = {{s->peaks[OBJECTS].then}};
	w.of[BYTES] = s->size == SITE_MIXED ? s->peaks[BYTES].then : w.of[OBJECTS] * size_of(site) >> 12;
	return w;
}

static uint64_t next(uint64_t *random)
{
	*random = *random * 6364136223846793005ULL + 1442695040888963407ULL;
	return *random >> 33;
}

// The memory in use now, and at the highest total, kept the slow way.
static struct slow {
	struct weight now[SITES], then[SITES];
	uint64_t total, highest;
} slow;

static void slow_change(uint64_t site, uint64_t objects, uint64_t bytes)
{
	slow.now[site].of[OBJECTS] += objects;
	slow.now[site].of[BYTES] += bytes;
	slow.total += bytes;
	if (slow.total > slow.highest) {
		slow.highest = slow.total;
		memcpy(slow.then, slow.now, sizeof slow.then);
	}
}

static void compare(void)
{
	peak_freeze();
	for (int i = 0; i < SITES; i++) {
		check(then(i).of[OBJECTS] == slow.then[i].of[OBJECTS]);
		check(then(i).of[BYTES] == slow.then[i].of[BYTES]);
	}
	peak_thaw();
	check(peak_read_missed() == 0 && peak_total() == slow.total);
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
		uint32_t slot = next(&random) % 4;
		struct weight w = weight_of(site);
		if (slow.now[site].of[OBJECTS] == 0 || next(&random) % 256 < (i / 1000 % 2 ? 100 : 140)) {
			come(slot, site);
			slow_change(site, w.of[OBJECTS], w.of[BYTES]);
		} else {
			go(slot, site);
			slow_change(site, -w.of[OBJECTS], -w.of[BYTES]);
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

static void change(void (*way)(uint32_t, uint64_t), uint32_t slot, int from, int n)
{
	for (int i = 0; i < n; i++)
		way(slot, (from + i) % SITES);
}

static void *rounds(void *number)
{
	int from = (int)(uintptr_t)number;
	for (int round = 0; round < ROUNDS; round++) {
		change(come, from, from, height(round));
		pthread_barrier_wait(&barrier); // the moment
		pthread_barrier_wait(&barrier);
		change(go, from, from, height(round));
		pthread_barrier_wait(&barrier);
		pthread_barrier_wait(&barrier);
	}
	return NULL;
}

// The state at the barrier of the highest round.
static void expect(int best)
{
	peak_freeze();
	for (int i = 0; i < SITES; i++) {
		uint64_t objects = 0;
		for (int t = 1; t <= THREADS; t++)
			for (int n = 0; n < height(best); n++)
				objects += (t + n) % SITES == i;
		if (cgoheap_counted(COUNT_PEAK_INEXACT) != 0)
			continue;
		check(then(i).of[OBJECTS] == objects << 16);
		check(then(i).of[BYTES] == objects * weight_of(i).of[BYTES]);
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
	check(peak_total() == 0);
	printf("    %lu moments were passed over\n", cgoheap_counted(COUNT_PEAK_INEXACT));
}

static int stop;

static void *churn(void *number)
{
	uint64_t random = (uintptr_t)number;
	uint32_t slot = (uint32_t)(uintptr_t)number;
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		int from = next(&random) % SITES, n = next(&random) % 64;
		change(come, slot, from, n);
		change(go, slot, from, n);
	}
	return NULL;
}

// The copies come from different instants, but differ from the total by no more than the events that were in progress.
static void under_way(void)
{
	pthread_t t[THREADS];
	begin();
	stop = 0;
	for (uintptr_t i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, churn, (void *)(i + 1));
	for (int i = 0; i < 2000 / SCALE; i++) {
		uint64_t sum = 0, highest, most = THREADS * weight_of(SITES - 1).of[BYTES];
		peak_freeze();
		highest = peak_mark() & ((1ULL << 52) - 1);
		for (int k = 0; k < SITES; k++)
			sum += then(k).of[BYTES];
		check(sum <= highest + most && sum + most >= highest);
		peak_thaw();
		if (i % 10 == 0)
			peak_reset();
	}
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	for (int k = 0; k < SITES; k++)
		check(site_in_use(sites[k], OBJECTS) == 0);
	check(peak_total() == 0);
}

static void held_still(void)
{
	begin();
	change(come, 1, 0, 2);
	peak_freeze();
	change(come, 1, 0, SITES);
	check(then(0).of[OBJECTS] == 1 << 16 && then(5).of[OBJECTS] == 0);
	change(go, 1, 0, SITES);
	change(come, 1, 7, 1);
	peak_thaw();
	check(peak_read_missed() > 0);
	peak_freeze();
	check(then(7).of[OBJECTS] == 1 << 16 && then(5).of[OBJECTS] == 0);
	peak_thaw();
	change(come, 1, 0, SITES);
	check(peak_read_missed() == 0);
}

static void *come_and_go(void *none)
{
	for (int i = 0; i < 1000000 / SCALE; i++) {
		come(1, SITES - 1);
		go(2, SITES - 1);
	}
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	return none;
}

// Little credit, and blocks that come in one slot and go in another: credit is given and taken back all the time.
static void moments(void)
{
	pthread_t t;
	begin();
	change(come, 3, 0, 200);
	uint64_t held = peak_total(), block = weight_of(SITES - 1).of[BYTES];
	change(come, 3, 0, SITES);
	change(go, 3, 0, SITES);
	stop = 0;
	pthread_create(&t, NULL, come_and_go, NULL);
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		uint64_t total = peak_total();
		check(total == held || total == held + block);
	}
	pthread_join(t, NULL);
	check(peak_total() == held);
}

// A site that nobody changes or reads between two peaks of the same height, with many resets between them.
static void reset_so_often(int resets)
{
	begin();
	change(come, 1, 0, 1);
	change(come, 1, 0, 1);
	peak_reset();
	change(go, 1, 0, 1);
	change(go, 1, 0, 1);
	change(come, 1, 1, 1);
	for (int i = 0; i < resets; i++)
		peak_reset();
	peak_freeze();
	check(then(0).of[OBJECTS] == 0 && then(1).of[OBJECTS] == 1 << 16);
	peak_thaw();
}

static void reset_often(void)
{
	for (int resets = 1; resets <= 1 << 12; resets *= 2)
		reset_so_often(resets);
}

static void reset_time(void)
{
	begin();
	change(come, 1, 0, 1);
	cgoheap_region->peak_clock = 0;
	peak_reset();
	check(cgoheap_region->peak_clock >= cgoheap_region->clock);
}

// A thread is stopped after it has counted credit and before it gets it: in the fault handler of that write, to memory
// that cannot be written.
#if !defined(__SANITIZE_THREAD__) // it holds a lock of its own there
static void protect(int protection)
{
	uintptr_t size = (uintptr_t)sysconf(_SC_PAGESIZE), page = (uintptr_t)&slot_at(1)->credit & ~(size - 1);
	check(mprotect((void *)page, size, protection) == 0);
}

static void reset_meanwhile(int signal)
{
	(void)signal;
	protect(PROT_READ | PROT_WRITE);
	slow_reset();
}

static void slow_change_one(uint64_t site, int sign)
{
	struct weight w = weight_of(site);
	(sign > 0 ? come : go)(1, site);
	slow_change(site, sign * w.of[OBJECTS], sign * w.of[BYTES]);
}

static void reset_in_vain(void)
{
	begin();
	memset(&slow, 0, sizeof slow);
	for (int i = 0; i < 100; i++)
		slow_change_one(i % SITES, 1);
	for (int i = 0; i < 90; i++)
		slow_change_one(i % SITES, -1);
	check(signal(SIGSEGV, reset_meanwhile) != SIG_ERR);
	protect(PROT_READ);
	slow_change_one(5, 1);
	signal(SIGSEGV, SIG_DFL);
	check(cgoheap_counted(COUNT_PEAK_INEXACT) == 1);
	for (int i = 0; i < 11; i++)
		slow_change_one(SITES - 1 - i, 1);
	for (int i = 0; i < 5; i++)
		slow_change_one(SITES - 1 - i, -1);
	compare();
	check(cgoheap_counted(COUNT_PEAK_INEXACT) == 1);
}
#endif

static void lifetimes_fall(void)
{
	static const uint32_t ticks[] = {0, 5, 6, 59, 60, 596, 597, 3576, 3577, 35762, 35763, 214576, 214577, 1u << 31};
	begin();
	for (size_t i = 0; i < sizeof ticks / sizeof *ticks; i++)
		site_free(sites[0], i & 1, ticks[i], weight_of(0));
	check(freed_in(sites[0], OBJECTS, 0) == 0);
	sites_settle(0);
	sites_settle(1);
	for (uint32_t class = 0; class <= REGION_LIFETIMES; class++) {
		check(freed_in(sites[0], OBJECTS, class) == 2 << 16);
		check(freed_in(sites[0], BYTES, class) == 2 * weight_of(0).of[BYTES]);
	}
	check(sites[1]->lifetimes == 0);
}

static void lifetimes_without_room(void)
{
	begin();
	for (int i = 0; i < 5; i++)
		site_free(sites[0], 0, 0, weight_of(0));
	check(sites[0]->lifetimes == 0); // its own class needs no room
	for (uint64_t size = 16; size <= 512; size *= 2)
		while (region_reserve(size) != 0)
			;
	site_free(sites[0], 0, 6, weight_of(0));
	site_free(sites[0], 0, 0, weight_of(0));
	sites_settle(0);
	check(freed_in(sites[0], OBJECTS, REGION_LIFETIMES) == 7 << 16 && freed_in(sites[0], OBJECTS, 0) == 0);
	check(cgoheap_counted(COUNT_LOST_LIFETIME) == 7);
}

int main(void)
{
	run("the peak equals the result of copying everything", one_thread);
	run("the peak of many threads is the state at its moment", many_threads);
	run("while threads run, the peak differs by the events in progress", under_way);
	run("a rise while the peak is frozen is reported", held_still);
	run("the total is exact at one moment", moments);
	run("resets may be as many as they like", reset_often);
	run("a reset is the time of the peak", reset_time);
#if !defined(__SANITIZE_THREAD__)
	run("a reset that finds no exact total is made up for", reset_in_vain);
#endif
	run("lifetimes fall into their classes", lifetimes_fall);
	run("where there is no room for a class, no lifetime of the site is reported", lifetimes_without_room);
}
