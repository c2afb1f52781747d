// Numbers near the ends of their words.
#include <string.h>

#include "../../block.h"
#include "../../gate.h"
#include "../../layout.h"
#include "../../lifetimes.h"
#include "../../peak.h"
#include "../../sites.h"
#include "../../stacks.h"
#include "check.h"


static struct site *begin(uint64_t size)
{
	uint64_t frame = 1;
	if (cgoheap_region != NULL)
		region_close();
	check(layout_open(NULL, 16 << 20, 1) == 0);
	return region_ref(site_intern(stack_intern(&frame, 1, stack_root(0)), size, 0, 0));
}

static uint32_t carried(const uint64_t *word)
{
	for (int i = 0; i < REGION_CARRIES; i++)
		if (region_at(cgoheap_region->carries[i].word) == word)
			return cgoheap_region->carries[i].settled;
	return 0;
}

static void sums(void)
{
	struct site *s = begin(8);
	struct tally *t = &s->flow[OBJECTS].allocated;
	t->running[0] = UINT64_MAX - 9;
	t->running[1] = UINT64_MAX - 9;
	tally_add(t, 0, 9);
	check(t->running[0] == UINT64_MAX && cgoheap_region->carries[0].word == 0);
	tally_add(t, 0, 1);
	check(t->running[0] == 0 && carried(&t->running[0]) == 0);
	sites_settle(1);
	check(carried(&t->running[0]) == 0);
	sites_settle(0);
	check(carried(&t->running[0]) == 1);
	for (int i = 0; i < 3; i++)
		tally_add(t, 1, UINT64_MAX);
	sites_settle(1);
	check(carried(&t->running[1]) == 3 && carried(&t->running[0]) == 1);
	check(cgoheap_counted(COUNT_LOST_CARRY) == 0);
}

static void too_many_sums(void)
{
	struct site *s = begin(SITE_MIXED);
	struct tally *t = &s->flow[BYTES].freed;
	for (int i = 0; i < REGION_CARRIES; i++)
		cgoheap_region->carries[i].word = 16;
	t->running[0] = UINT64_MAX;
	tally_add(t, 0, 1);
	check(cgoheap_counted(COUNT_LOST_CARRY) == 1);
}

static void in_use_after_a_wrap(void)
{
	struct site *s = begin(8);
	struct weight w = {{5 << 16, 5 << 7}};
	s->flow[OBJECTS].allocated.running[0] = UINT64_MAX - 3;
	s->flow[OBJECTS].freed.running[1] = UINT64_MAX - 3;
	site_add(s, 0, w);
	check(site_in_use(s, OBJECTS) == 5 << 16);
}

static void totals(void)
{
	begin(8);
	peak_raise(0, (1ULL << 52) - 1);
	check(peak_total() == (1ULL << 52) - 1);
	peak_raise(0, 1ULL << 53);
	check(peak_total() == (1ULL << 52) - 1);
	uint64_t mark = peak_mark();
	peak_raise(0, 16);
	check(peak_mark() == mark); // the highest total that the word can hold
	peak_lower(0, 1ULL << 53);
	peak_lower(0, 1ULL << 52);
	check(peak_total() == 15 && peak_mark() == mark);
	for (int i = 0; i < 1100; i++) // more eras than there are numbers for
		peak_reset();
	check(peak_total() == 15);
	peak_raise(0, 1);
	peak_freeze();
	check(peak_read_missed() == 0);
	peak_thaw();
}

static void times(void)
{
	struct weight heaviest = weigh(0, 1ULL << 40), most = weigh(0, UINT64_MAX);
	check(heaviest.of[OBJECTS] > 1ULL << 56 && most.of[OBJECTS] <= WEIGHT_OBJECTS);
	for (uint64_t born = 1; born < BLOCK_BORN; born = born * 3 + 1) {
		struct block b = block_of(heaviest, 7, born);
		check(b.site == 7 && memcmp(&heaviest, &(struct weight){{block_weight(&b).of[0], block_weight(&b).of[1]}}, sizeof heaviest) == 0);
		check(block_age(&b, born) == 0 && block_age(&b, born + (1ULL << 32)) == 1ULL << 32);
	}
}

static void lives(void)
{
	for (uint64_t ticks = 1ULL << 32; ticks < BLOCK_BORN; ticks *= 2)
		check(lifetime_class(ticks) == REGION_LIFETIMES && lifetime_class(ticks + 1) == REGION_LIFETIMES);
	check(lifetime_class(0) == 0);
}

static void refs(void)
{
	region_close();
	check(layout_open(NULL, REGION_MOST + 4096, 1) != 0);
	begin(8);
	cgoheap_region->size = REGION_MOST;
	cgoheap_region->used = REGION_MOST - REGION_END - 64;
	memset(cgoheap_region->chunks, 0, sizeof cgoheap_region->chunks);
	uint64_t last = region_reserve(64);
	check(last == REGION_MOST - REGION_END - 64 && (uint64_t)(uint32_t)(last / 16) * 16 == last);
	check(region_reserve(64) == 0 && region_reserve(REGION_MOST + 64) == 0);
	while (region_reserve(16) != 0) // uses up the rest of a chunk
		;
}

int main(void)
{
	run("a sum that outgrows its word carries, and settles with its parity", sums);
	run("where there is no room for a carry, it is counted", too_many_sums);
	run("what is in use is right across a wrap", in_use_after_a_wrap);
	run("the total in use stops at 256 TiB, and eras may come again", totals);
	run("a record holds the heaviest weight and times of centuries", times);
	run("a block that lived longer than 2^32 ticks lived long", lives);
	run("a ref reaches the end of the largest region", refs);
}
