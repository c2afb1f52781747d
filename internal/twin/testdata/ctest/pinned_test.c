// What pins free memory, against a count word by word from a list of the blocks. The test's blocks are in the first arena.
#define _GNU_SOURCE
#include <fcntl.h>
#include <math.h>

#include "../../pinned.h"
#include "heaps.h"

#define BLOCKS 40000
#define USED (BLOCKS + 1000) // with those of libc
#define PAGES 65536

static struct twin_malloc known;

// A chunk in use, its last word included. The next one begins with that word.
struct used {
	uint64_t start, limit, pinned;
};

// What the copy is asked, and what it says.
static struct {
	uint64_t n, used_count, done, start, limit;
	struct twin_block blocks[BLOCKS];
	struct twin_found found[BLOCKS];
	struct twin_pinned sums;
	struct used used[USED];
	unsigned char resident[PAGES];
} *copy;

static void note(void *arg, uint64_t user, uint64_t usable, bool is_free)
{
	(void)arg;
	if (!is_free && user >= copy->start && user < copy->limit && copy->used_count < USED)
		copy->used[copy->used_count++] = (struct used){user - 16, user + usable, 0};
}

static void read_pinned(void)
{
	struct twin_heaps h;
	int pagemap = (int)system_call(SYS_openat, AT_FDCWD, (long)"/proc/self/pagemap", O_RDONLY, 0);
	copy->used_count = 0;
	struct twin_maps maps = read_maps();
	copy->done = twin_heaps_find(&h, &known, &maps, copy->blocks, copy->n) && h.unknown == 0 &&
		     twin_pinned(&h, copy->blocks, copy->found, copy->n, pagemap, &copy->sums);
	copy->start = h.heaps[0].start;
	copy->limit = h.heaps[0].limit;
	twin_chunks(&h, note, NULL);
	uint64_t size = copy->limit - copy->start < PAGES * known.page ? copy->limit - copy->start : PAGES * known.page;
	if (system_call(SYS_mincore, (long)copy->start, (long)size, (long)copy->resident, 0) != 0)
		copy->done = false;
}

// The blocks of the test, some of which were freed. It writes to every other part, so that not all pages are resident.
static uint64_t live[BLOCKS];
static int live_count;

static void fill(uint64_t seed, uint64_t largest, int kept)
{
	static void *all[BLOCKS];
	uint64_t random = seed;
	for (int i = 0; i < BLOCKS; i++) {
		size_t size = random_below(&random, largest);
		all[i] = malloc(size);
		if (i / 500 % 2 == 0)
			memset(all[i], 1, size);
	}
	for (int i = 0; i < BLOCKS; i++)
		if ((int)random_below(&random, 100) < kept)
			live[live_count++] = (uint64_t)all[i];
		else
			free(all[i]);
}

static void forget(void)
{
	for (int i = 0; i < live_count; i++)
		free((void *)live[i]);
	live_count = 0;
	malloc_trim(0);
}

static int compare(const void *a, const void *b)
{
	const struct twin_block *x = a, *y = b;
	return x->at < y->at ? -1 : x->at > y->at;
}

static void record(bool (*chosen)(uint64_t at))
{
	copy->n = 0;
	for (int i = 0; i < live_count; i++)
		if (chosen(live[i]))
			copy->blocks[copy->n++] = (struct twin_block){live[i], malloc_usable_size((void *)live[i])};
	qsort(copy->blocks, copy->n, sizeof *copy->blocks, compare);
	check(in_twin(read_pinned) == 0);
	check(copy->done);
}

static bool each(uint64_t at)
{
	(void)at;
	return true;
}

// The chunk in use that has the word; NULL if it is free.
static struct used *user_of(uint64_t word)
{
	uint64_t from = 0, to = copy->used_count;
	while (from < to) {
		uint64_t middle = (from + to) / 2;
		if (copy->used[middle].start < word)
			from = middle + 1;
		else
			to = middle;
	}
	return from > 0 && word < copy->used[from - 1].limit ? &copy->used[from - 1] : NULL;
}

// Sums of the slow way.
static uint64_t slow_pinned, slow_held;

// One page: who has words on it, and what of it is free. run is where the free memory began that the page starts with, or 0.
static void count_page(uint64_t page, uint64_t *run, struct used **before)
{
	struct used *touching[600];
	uint64_t count = 0, bytes = 0;
	bool whole = true;
	for (uint64_t unit = page; unit < page + known.page; unit += 16) {
		struct used *first = user_of(unit), *second = user_of(unit + 8);
		struct used *words[] = {first, second, NULL};
		if (second != NULL) {
			whole = false;
			*run = 0;
			*before = second;
		} else {
			*run = *run == 0 ? unit : *run;
			bytes += 16;
			if (unit < *run + 48) { // malloc's own words
				whole = false;
				words[2] = *before;
			}
		}
		for (int i = 0; i < 3; i++)
			if (words[i] != NULL && (count == 0 || touching[count - 1] != words[i]))
				touching[count++] = words[i];
	}
	if ((copy->resident[(page - copy->start) / known.page] & 1) == 0)
		return;
	if (whole)
		return;
	slow_pinned += bytes;
	slow_held += count > 0 ? bytes : 0;
	for (uint64_t i = 0; i < count; i++)
		touching[i]->pinned += bytes * TWIN_PINNED_UNIT / count;
}

// The share of each recorded block, and the sums, are those of the slow way.
static void agrees(void)
{
	uint64_t run = 0, recorded = 0, of_all = 0;
	struct used *before = NULL;
	slow_pinned = slow_held = 0;
	check((copy->limit - copy->start) / known.page <= PAGES && copy->used_count < USED);
	for (uint64_t page = copy->start; page < copy->limit; page += known.page)
		count_page(page, &run, &before);
	for (uint64_t i = 0; i < copy->n; i++) {
		struct used *u = user_of(copy->blocks[i].at);
		bool in_heap = copy->blocks[i].at >= copy->start && copy->blocks[i].at < copy->limit;
		check((u != NULL) == in_heap);
		check(copy->found[i].pinned == (in_heap ? u->pinned : 0));
		recorded += copy->found[i].pinned;
	}
	for (uint64_t i = 0; i < copy->used_count; i++)
		of_all += copy->used[i].pinned;
	const struct twin_pinned *s = &copy->sums;
	check(s->held == slow_held && s->recorded == recorded);
	check(of_all <= s->held * TWIN_PINNED_UNIT && of_all + copy->used_count * 3 >= s->held * TWIN_PINNED_UNIT); // rounded
	check(slow_held <= slow_pinned && slow_pinned - slow_held <= 2 * known.page);
}

static void every_block(void)
{
	static const struct {
		uint64_t largest;
		int kept;
	} kinds[] = {{30, 50}, {200, 10}, {200, 90}, {2000, 20}, {6000, 50}, {6000, 2}, {300, 0}};
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		fill(i, kinds[i].largest, kinds[i].kept);
		record(each);
		agrees();
		check(copy->sums.held > 0);
		forget();
	}
}

static void no_block(void)
{
	fill(1, 500, 30);
	copy->n = 0;
	check(in_twin(read_pinned) == 0);
	check(copy->done && copy->sums.recorded == 0 && copy->sums.held > 0);
	agrees();
	forget();
}

// One block is kept of every so many that fill pages, and pins all that is free on its page.
static void one_block_a_page(void)
{
	enum { COUNT = 2000, A_PAGE = 32 };
	static void *all[COUNT * A_PAGE];
	for (int i = 0; i < COUNT * A_PAGE; i++)
		memset(all[i] = malloc(known.page / A_PAGE - 8), 1, known.page / A_PAGE - 8);
	for (int i = 0; i < COUNT * A_PAGE; i++)
		if (i % A_PAGE == 7)
			live[live_count++] = (uint64_t)all[i];
		else
			free(all[i]);
	record(each);
	agrees();
	double each_pins = (double)copy->sums.recorded / TWIN_PINNED_UNIT / COUNT;
	check(each_pins > 0.94 * (double)known.page && each_pins < 1.0 * (double)known.page);
	forget();
}

#define INTERVAL 3000.0

static uint64_t draw;

static double chance(uint64_t size)
{
	return -expm1(-(double)size / INTERVAL);
}

static bool sampled(uint64_t at)
{
	return (double)random_below(&draw, 1 << 30) < chance(malloc_usable_size((void *)at)) * (1 << 30);
}

// What a sample of the blocks pins, each block weighted by the objects that it stands for, is on average what all pin. The
// share of a block does not depend on which others are recorded.
static void samples(void)
{
	static struct twin_found all_found[BLOCKS];
	static struct twin_block all_blocks[BLOCKS];
	fill(3, 1200, 25);
	record(each);
	uint64_t n = copy->n;
	memcpy(all_found, copy->found, sizeof all_found);
	memcpy(all_blocks, copy->blocks, sizeof all_blocks);
	double truth = (double)copy->sums.recorded / TWIN_PINNED_UNIT, sum = 0, squares = 0;
	const int draws = 100;
	draw = 5;
	for (int i = 0; i < draws; i++) {
		record(sampled);
		double estimate = 0;
		for (uint64_t b = 0, k = 0; b < copy->n; b++) {
			while (k < n && all_blocks[k].at < copy->blocks[b].at)
				k++;
			check(all_blocks[k].at == copy->blocks[b].at && all_found[k].pinned == copy->found[b].pinned);
			estimate += (double)copy->found[b].pinned / TWIN_PINNED_UNIT / chance(copy->blocks[b].size);
		}
		sum += estimate;
		squares += estimate * estimate;
	}
	double mean = sum / draws, error = sqrt((squares / draws - mean * mean) / draws);
	printf("    %.0f bytes are pinned, by samples %.0f ± %.0f\n", truth, mean, error);
	check(error < truth / 50 && fabs(mean - truth) < 4 * error);
	forget();
}

static void no_pagemap(void)
{
	struct twin_heaps h;
	fill(3, 500, 25);
	record(each);
	struct twin_maps maps = read_maps();
	check(twin_heaps_find(&h, &known, &maps, copy->blocks, copy->n));
	check(!twin_pinned(&h, copy->blocks, copy->found, copy->n, -1, &copy->sums));
	for (uint64_t i = 0; i < copy->n; i++)
		check(copy->found[i].pinned == 0);
	check(copy->sums.held == 0 && copy->sums.recorded == 0);
	h.count = 0;
	check(twin_pinned(&h, copy->blocks, copy->found, copy->n, -1, &copy->sums)); // no heaps
	forget();
}

int main(void)
{
	copy = shared_memory(sizeof *copy);
	check(mallopt(M_MMAP_THRESHOLD, 1 << 20) == 1);
	known = glibc();
	run("what each block pins is what a count of words says", every_block);
	run("with no block recorded the sums are the same", no_block);
	run("a block that is left alone on its page pins the page", one_block_a_page);
	run("samples are unbiased", samples);
	run("without a pagemap nothing is said", no_pagemap);
	return 0;
}
