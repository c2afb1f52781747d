// The live table against an array, and under threads.
#include <pthread.h>
#include <string.h>

#include "../../control.h"
#include "../../gate.h"
#include "../../hash.h"
#include "../../layout.h"
#include "../../live.h"
#include "../../thread.h"
#include "check.h"

#define MANY (200000 / SCALE)

static const void *address(uint64_t i)
{
	return (const void *)(uintptr_t)(0x7f0000000000 + i * 48);
}

static void fresh(uint64_t size)
{
	if (cgoheap_region != NULL)
		region_close();
	check(layout_open(NULL, size, 512) == 0);
}

static void insert_and_remove(void)
{
	static char held[MANY];
	uint64_t random = 7;
	memset(held, 0, sizeof held);
	fresh(64 << 20);
	for (int i = 0; i < 3000000 / SCALE; i++) {
		uint64_t k = mix64(random++) % MANY;
		struct block b = {{{k, k * 2}}, (uint32_t)k, (uint32_t)(k * 3)}, got;
		if (held[k]) {
			check(live_maybe(address(k)));
			check(live_remove(address(k), &got) && got.weight.of[OBJECTS] == k && got.weight.of[BYTES] == k * 2 && got.site == k);
		} else {
			check(!live_remove(address(k), &got));
			check(live_insert(address(k), &b) == KEPT);
		}
		held[k] ^= 1;
	}
	struct block got;
	for (uint64_t k = 0; k < MANY; k++)
		check(live_remove(address(k), &got) == held[k]);
	for (uint64_t k = 0; k < MANY; k++)
		check(!live_maybe(address(k)));
}

static void null(void)
{
	fresh(16 << 20);
	struct block b = {.site = 0}, got;
	check(live_insert((void *)((uintptr_t)REGION_FILTER_SLOTS << FILTER_GRANULE_BITS), &b) == KEPT);
	check(live_maybe(NULL) && !live_remove(NULL, &got)); // the filter's counter for that block is also NULL's
}

static void churn_needs_no_more_room(void)
{
	fresh(64 << 20);
	struct block b = {.site = 0}, got;
	for (uint64_t i = 0; i < 1000; i++)
		check(live_insert(address(i), &b) == KEPT);
	uint64_t used = cgoheap_region->used;
	for (uint64_t i = 1000; i < 3000000 / SCALE; i++) {
		check(live_remove(address(i - 1000), &got));
		check(live_insert(address(i), &b) == KEPT);
	}
	check(cgoheap_region->used == used);
}

static void full(void)
{
	fresh(8 << 20);
	struct block b = {.site = 0}, got;
	uint64_t n = 0;
	while (live_insert(address(n), &b) == KEPT)
		n++;
	printf("    %llu blocks in %llu bytes of tables, %.1f bytes a block\n", (unsigned long long)n,
	       (unsigned long long)(8 << 20), (double)(8 << 20) / (double)n);
	check(n > (6 << 20) / 64);
	for (uint64_t i = 0; i < n; i++)
		check(live_remove(address(i), &got));
	check(live_insert(address(0), &b) == KEPT);
}

static void *hammer(void *of)
{
	uint64_t base = (uintptr_t)of * MANY;
	struct block got;
	for (int round = 0; round < 3; round++) {
		for (uint64_t i = 0; i < 20000 / SCALE; i++) {
			struct block b = {{{base + i, 0}}, 1, 2};
			check(live_insert(address(base + i), &b) == KEPT);
		}
		for (uint64_t i = 0; i < 20000 / SCALE; i++)
			check(live_remove(address(base + i), &got) && got.weight.of[OBJECTS] == base + i);
	}
	return NULL;
}

static void taken(void)
{
	struct block b = {.site = 1}, second = {.site = 2}, found;
	fresh(8 << 20);
	for (int i = 0; i < 10000; i++) // on several levels
		check(live_insert(address(i), &b) == KEPT);
	for (int i = 0; i < 10000; i++)
		check(live_insert(address(i), &second) == KEPT_ALREADY);
	for (int i = 0; i < 10000; i++)
		check(live_remove(address(i), &found) && found.site == 1 && !live_remove(address(i), &found));
	check(live_insert(address(0), &second) == KEPT && live_remove(address(0), &found) && found.site == 2);
}

static void threads(void)
{
	pthread_t t[4];
	fresh(64 << 20);
	for (uintptr_t i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, hammer, (void *)i);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
}

static void insert(const void *p)
{
	struct block b = {.site = 1};
	struct pass pass;
	check(gate_enter(&pass, cgoheap_generation) && live_insert(p, &b) == KEPT);
	gate_leave(pass);
}

static void forget(const void *p)
{
	struct block b;
	struct pass pass;
	check(live_maybe(p));
	check(gate_enter(&pass, cgoheap_generation) && live_remove(p, &b));
	gate_leave(pass);
}

static int counter(const void *p)
{
	return *filter_slot((uintptr_t)p);
}

static void settle_as(uint64_t sample_bytes)
{
	cgoheap_set_sample_bytes(sample_bytes);
	check(cgoheap_settle());
}

static const char *granule(uint64_t i)
{
	return (const char *)(uintptr_t)(0x7f0000000000 + (i << FILTER_GRANULE_BITS));
}

static void recounted(void)
{
	fresh(64 << 20);
	gate_open();
	cgoheap_set_sample_bytes(1);
	for (int i = 0; i < 3; i++)
		insert(granule(0) + i);
	insert(granule(1));
	forget(granule(1));
	settle_as(1);
	check(counter(granule(0)) == FILTER_STUCK && counter(granule(1)) == FILTER_STUCK && counter(granule(2)) == 0);
	settle_as(512);
	check(counter(granule(0)) == 3 && counter(granule(1)) == 0 && counter(granule(2)) == 0);
	for (int i = 3; i < 256; i++)
		insert(granule(0) + i);
	check(counter(granule(0)) == FILTER_STUCK);
	for (int i = 0; i < 250; i++)
		forget(granule(0) + i);
	check(counter(granule(0)) == FILTER_STUCK && cgoheap_settle() && counter(granule(0)) == 6);
	for (int i = 250; i < 256; i++)
		forget(granule(0) + i);
	check(!live_maybe(granule(0)) && gate_close());
}

// A recorder's change between the mark and the count is in neither, or in both.
static void changed_while_recounted(void)
{
	fresh(64 << 20);
	gate_open();
	cgoheap_set_sample_bytes(1);
	for (int i = 0; i < 4; i++)
		insert(granule(i));
	cgoheap_set_sample_bytes(512);
	check(filter_mark());
	insert(granule(0) + 1);
	forget(granule(1));
	check(gate_settle());
	insert(granule(2) + 1);
	filter_recount(true, live_count);
	check(counter(granule(0)) == FILTER_STUCK && counter(granule(1)) == FILTER_STUCK && counter(granule(2)) == FILTER_STUCK);
	check(counter(granule(3)) == 1 && cgoheap_settle());
	check(counter(granule(0)) == 2 && counter(granule(1)) == 0 && counter(granule(2)) == 2);
	check(gate_close());
}

// A settle that gave up must not lead to a recount.
static void not_recounted(void)
{
	struct pass held;
	fresh(64 << 20);
	gate_open();
	cgoheap_set_sample_bytes(1);
	insert(granule(0));
	cgoheap_set_sample_bytes(512);
	check(gate_enter(&held, cgoheap_generation) && !cgoheap_settle() && live_maybe(granule(0)));
	check(counter(granule(0)) >= FILTER_RECOUNTED);
	gate_leave(held);
	check(cgoheap_settle() && counter(granule(0)) == 1 && gate_close());
}

#define STORM 64
static int over;

// Its blocks share granules with the other threads' blocks.
static void *storm(void *of)
{
	char held[STORM] = {0};
	uint64_t random = cgoheap_thread.number = (uintptr_t)of;
	while (!__atomic_load_n(&over, __ATOMIC_RELAXED)) {
		uint64_t k = mix64(random += 4) % STORM;
		const char *p = granule(k / 4) + k % 4 * 8 + (uintptr_t)of;
		if (held[k])
			forget(p);
		else
			insert(p);
		held[k] ^= 1;
	}
	for (uint64_t k = 0; k < STORM; k++)
		if (held[k])
			forget(granule(k / 4) + k % 4 * 8 + (uintptr_t)of);
	return NULL;
}

static void recounted_under_load(void)
{
	pthread_t t[4];
	fresh(64 << 20);
	gate_open();
	for (uintptr_t i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, storm, (void *)i);
	for (int i = 0; i < 1000 / SCALE; i++) {
		settle_as(1);
		settle_as(512);
	}
	__atomic_store_n(&over, 1, __ATOMIC_RELAXED);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	check(cgoheap_settle());
	for (int i = 0; i < STORM / 4; i++)
		check(counter(granule(i)) == 0);
	check(gate_close());
}

int main(void)
{
	run("the live table holds what an array holds, and the filter never hides a block", insert_and_remove);
	run("NULL is never a block", null);
	run("churn leaves nothing behind", churn_needs_no_more_room);
	run("a full table refuses, keeps what it has, and serves again", full);
	run("an address is remembered once", taken);
	run("threads do not disturb each other", threads);
	run("stuck counters of the filter are recounted", recounted);
	run("a granule that changes while it is recounted waits for the next time", changed_while_recounted);
	run("nothing is recounted while a recorder may not know of it", not_recounted);
	run("no block is ever missed while the filter sticks and is recounted, and all is exact afterwards", recounted_under_load);
}
