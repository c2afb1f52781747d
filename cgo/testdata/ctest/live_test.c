// The live table against an array, and under threads.
#include <pthread.h>
#include <string.h>

#include "../../hash.h"
#include "../../live.h"
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
	check(region_open(size, 512) == 0);
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
			check(live_insert(address(k), &b));
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
	check(live_insert((void *)((uintptr_t)REGION_FILTER_SLOTS << FILTER_GRANULE_BITS), &b));
	check(live_maybe(NULL) && !live_remove(NULL, &got)); // that block has the filter's slot of NULL
}

static void churn_needs_no_more_room(void)
{
	fresh(64 << 20);
	struct block b = {.site = 0}, got;
	for (uint64_t i = 0; i < 1000; i++)
		check(live_insert(address(i), &b));
	uint64_t used = cgoheap_region->used;
	for (uint64_t i = 1000; i < 3000000 / SCALE; i++) {
		check(live_remove(address(i - 1000), &got));
		check(live_insert(address(i), &b));
	}
	check(cgoheap_region->used == used);
}

static void full(void)
{
	fresh(8 << 20);
	struct block b = {.site = 0}, got;
	uint64_t n = 0;
	while (live_insert(address(n), &b))
		n++;
	printf("    %llu blocks in %llu bytes of tables, %.1f bytes a block\n", (unsigned long long)n,
	       (unsigned long long)(8 << 20), (double)(8 << 20) / (double)n);
	check(n > (6 << 20) / 64);
	for (uint64_t i = 0; i < n; i++)
		check(live_remove(address(i), &got));
	check(live_insert(address(0), &b));
}

static void *hammer(void *of)
{
	uint64_t base = (uintptr_t)of * MANY;
	struct block got;
	for (int round = 0; round < 3; round++) {
		for (uint64_t i = 0; i < 20000 / SCALE; i++) {
			struct block b = {{{base + i, 0}}, 1, 2};
			check(live_insert(address(base + i), &b));
		}
		for (uint64_t i = 0; i < 20000 / SCALE; i++)
			check(live_remove(address(base + i), &got) && got.weight.of[OBJECTS] == base + i);
	}
	return NULL;
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

int main(void)
{
	run("the live table holds what an array holds, and the filter never hides a block", insert_and_remove);
	run("NULL is never a block", null);
	run("churn leaves nothing behind", churn_needs_no_more_room);
	run("a full table refuses, keeps what it has, and serves again", full);
	run("threads do not disturb each other", threads);
}
