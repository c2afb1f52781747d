// The set of pages: against an array, full, and changed by several threads at once.
#include "../../page_set.h"

#include <pthread.h>
#include <stdint.h>

#include "check.h"

#define PAGE 4096ULL
#define PAGES 200
#define THREADS 4

static struct page_set set;

static uint64_t random_below(uint64_t *random, uint64_t limit)
{
	*random = *random * 6364136223846793005ULL + 1442695040888963407ULL;
	return (*random >> 33) % limit;
}

// Every so many pages are one thread's, so that most ranges have pages of several threads.
struct own {
	uint64_t first, every, random;
	char pages[PAGES];
};

static uint64_t address(const struct own *o, uint64_t page)
{
	return (o->first + page * o->every) * PAGE;
}

// Changes pages that no other thread changes.
static void *change(void *argument)
{
	struct own *o = argument;
	for (int i = 0; i < 20000 / SCALE; i++) {
		uint64_t at = random_below(&o->random, PAGES - 20), limit = at + 1 + random_below(&o->random, 20);
		bool adds = random_below(&o->random, 2) != 0;
		memset(o->pages + at, adds, limit - at);
		uint64_t size = o->every == 1 ? limit - at : 1; // pages at once
		for (; at < limit; at += size)
			if (adds)
				check(page_set_add(&set, address(o, at), address(o, at) + size * PAGE));
			else
				page_set_remove(&set, address(o, at), address(o, at) + size * PAGE);
	}
	return NULL;
}

static bool has(uint64_t address)
{
	uint64_t start, limit;
	for (size_t i = 0; i < PAGE_SET_RANGES; i++)
		if (page_set_get(&set, i, &start, &limit) && start <= address && address < limit)
			return true;
	return false;
}

static void agrees_with(const struct own *o)
{
	for (uint64_t page = 0; page < PAGES; page++)
		check(has(address(o, page)) == o->pages[page]);
}

static void alone(void)
{
	static struct own o = {.first = 1000, .every = 1, .random = 1};
	memset(&set, 0, sizeof set);
	for (int round = 0; round < 20; round++) {
		change(&o);
		agrees_with(&o);
	}
}

static void at_once(void)
{
	static struct own own[THREADS];
	pthread_t t[THREADS];
	memset(&set, 0, sizeof set);
	for (uint64_t i = 0; i < THREADS; i++) {
		own[i] = (struct own){.first = 5000 + i, .every = THREADS, .random = i + 1};
		check(pthread_create(&t[i], NULL, change, &own[i]) == 0);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	for (int i = 0; i < THREADS; i++)
		agrees_with(&own[i]);
}

static void bounds(void)
{
	const uint64_t end = 1ULL << 48, most = (1ULL << 28) - 1;
	uint64_t start, limit;
	memset(&set, 0, sizeof set);
	check(!page_set_add(&set, PAGE, PAGE) && !page_set_add(&set, 2 * PAGE, PAGE));
	check(!page_set_add(&set, 0, (most + 1) * PAGE) && !page_set_add(&set, end, end + PAGE));
	check(!page_set_get(&set, 0, &start, &limit));
	check(page_set_add(&set, end - most * PAGE, end) && page_set_get(&set, 0, &start, &limit));
	check(start == end - most * PAGE && limit == end);
	check(page_set_add(&set, start - PAGE, start) && page_set_get(&set, 1, &start, &limit)); // one word has no room for both
	check(start == end - (most + 1) * PAGE && limit == start + PAGE);
	page_set_remove(&set, 0, end);
	check(!page_set_get(&set, 0, &start, &limit) && !page_set_get(&set, 1, &start, &limit));
}

static void full(void)
{
	memset(&set, 0, sizeof set);
	for (uint64_t i = 0; i < PAGE_SET_RANGES; i++)
		check(page_set_add(&set, 4 * i * PAGE, (4 * i + 3) * PAGE));
	check(!page_set_add(&set, 1ULL << 40, (1ULL << 40) + PAGE));
	page_set_remove(&set, PAGE, 2 * PAGE); // there is no room for what is left above
	check(has(0) && !has(PAGE) && !has(2 * PAGE) && has(4 * PAGE) && has(6 * PAGE) && !has(7 * PAGE));
	page_set_remove(&set, 4 * PAGE, 7 * PAGE);
	check(page_set_add(&set, 1ULL << 40, (1ULL << 40) + PAGE));
}

int main(void)
{
	run("the set agrees with an array of pages", alone);
	run("threads that change pages of their own at once", at_once);
	run("the lowest and highest pages, and the largest range", bounds);
	run("a full set takes no more, and says so", full);
	return 0;
}
