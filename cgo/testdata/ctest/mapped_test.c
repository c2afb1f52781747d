// The table of what was mapped, with events made by hand: against an array of pages, in orders that threads can come in, and full.
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>

#include "../../mapped_table.h"
#include "../../region.h"
#include "mappings.h"

#define PAGES 512

static uint64_t report(uint8_t what, uint64_t start, uint64_t pages, uint64_t ticket)
{
	struct mapped_event e = {.what = what, .start = start * PAGE, .limit = (start + pages) * PAGE, .ticket = ticket, .stack = 7};
	return mapped_report(&e);
}

static uint64_t made(uint64_t start, uint64_t pages)
{
	return report(MAPPED_MADE, start, pages, mapped_last());
}

static uint64_t of_page(uint64_t page)
{
	const struct mapped *m = range_of(page * PAGE);
	return m == NULL ? 0 : m->number;
}

static uint64_t random_below(uint64_t *random, uint64_t limit)
{
	*random = *random * 6364136223846793005ULL + 1442695040888963407ULL;
	return (*random >> 33) % limit;
}

static void fill(uint64_t *pages, uint64_t start, uint64_t count, uint64_t number)
{
	for (uint64_t i = 0; i < count; i++)
		pages[start + i] = number;
}

// One call that maps, unmaps or moves, with what it does to an array of pages.
static void random_call(uint64_t *pages, uint64_t *random)
{
	uint64_t count = 1 + random_below(random, 20), at = 1 + random_below(random, PAGES - 64);
	uint64_t to = 1 + random_below(random, PAGES - 64), size = 1 + random_below(random, 20), ticket;
	switch (random_below(random, 6)) {
	case 0:
		fill(pages, at, count, made(at, count));
		return;
	case 1:
		ticket = report(MAPPED_CLAIMS, at, count, 0);
		fill(pages, at, count, report(MAPPED_PLACED, at, count, ticket));
		return;
	case 2:
		ticket = report(MAPPED_LEAVES, at, count, 0);
		report(MAPPED_GONE, at, count, ticket);
		fill(pages, at, count, 0);
		return;
	case 3:
		report(MAPPED_STAYS, at, count, report(MAPPED_LEAVES, at, count, 0));
		return;
	case 4:
		ticket = report(MAPPED_LEAVES, at, count, 0);
		struct mapped_event e = {.what = MAPPED_MOVED, .from = at * PAGE, .from_limit = (at + count) * PAGE, .start = to * PAGE,
					 .limit = (to + size) * PAGE, .ticket = ticket, .stack = 7};
		uint64_t claims = 0;
		if (to >= at + count || at >= to + size) { // the kernel refuses others
			claims = report(MAPPED_CLAIMS, to, size, 0);
			e.what = MAPPED_REPLACED;
		}
		fill(pages, at, count, 0);
		fill(pages, to, size, mapped_report(&e));
		if (claims != 0)
			report(MAPPED_GONE, to, size, claims);
		return;
	default:
		ticket = report(MAPPED_LEAVES, at, count, 0); // of which a part is mapped again before the call has returned
		fill(pages, at, count, 0);
		fill(pages, at, 1, made(at, 1));
		report(MAPPED_GONE, at, count, ticket);
	}
}

static void agrees_with_pages(void)
{
	static uint64_t pages[PAGES];
	uint64_t random = 1;
	start(1);
	for (int round = 0; round < 4000 / SCALE; round++) {
		for (int i = 0; i < 20; i++)
			random_call(pages, &random);
		read_ranges();
		for (uint64_t page = 0; page < PAGES; page++)
			check(of_page(page) == pages[page]);
	}
	check(cgoheap_stop());
}

// The events that two threads may report of one page, and who has it then: 0 for nobody.
static void unordered_maps(void)
{
	uint64_t one, two, number;
	start(1);
	one = report(MAPPED_CLAIMS, 1, 4, 0);
	two = report(MAPPED_CLAIMS, 3, 4, 0);
	report(MAPPED_PLACED, 3, 4, two);
	report(MAPPED_PLACED, 1, 4, one);
	read_ranges();
	check(count_of_ranges == 0); // mapped over each other

	one = mapped_last();
	number = made(8, 2);
	report(MAPPED_MADE, 9, 2, one);
	read_ranges();
	check(of_page(8) == number && of_page(9) == 0 && of_page(10) == 0); // both say that the page was free for them
	check(cgoheap_stop());
}

static void unordered_unmaps(void)
{
	uint64_t one, two, number;
	start(1);
	one = report(MAPPED_CLAIMS, 1, 4, 0);
	two = report(MAPPED_LEAVES, 1, 4, 0);
	report(MAPPED_GONE, 1, 4, two);
	report(MAPPED_PLACED, 1, 4, one);
	read_ranges();
	check(count_of_ranges == 0); // mapped, and unmapped by another at the same time

	made(1, 4);
	one = report(MAPPED_LEAVES, 1, 4, 0);
	two = report(MAPPED_LEAVES, 2, 1, 0);
	report(MAPPED_GONE, 2, 1, two);
	report(MAPPED_STAYS, 1, 4, one);
	read_ranges();
	check(count_of_ranges == 0); // a failure does not bring back what others may have unmapped

	made(50, 4);
	one = report(MAPPED_LEAVES, 50, 4, 0); // which does not return for long
	number = made(51, 1);
	report(MAPPED_STAYS, 51, 1, report(MAPPED_LEAVES, 51, 1, 0));
	read_ranges();
	check(of_page(51) == number); // it has been unmapped, so what comes after it is certain
	report(MAPPED_GONE, 50, 4, one);
	read_ranges();
	check(of_page(50) == 0 && of_page(51) == number);

	number = made(20, 1);
	one = mapped_last();
	two = report(MAPPED_LEAVES, 20, 1, 0);
	number = report(MAPPED_MADE, 20, 1, one);
	report(MAPPED_GONE, 20, 1, two);
	read_ranges();
	check(of_page(20) == number); // given to another before the call that unmapped it had returned
	check(cgoheap_stop());
}

static void unordered_moves(void)
{
	uint64_t one, two, number;
	start(1);
	made(30, 1);
	one = report(MAPPED_LEAVES, 30, 1, 0);
	two = made(30, 1);
	number = mapped_report(&(struct mapped_event){.what = MAPPED_MOVED, .start = 40 * PAGE, .limit = 41 * PAGE, .from = 30 * PAGE,
						    .from_limit = 31 * PAGE, .ticket = one, .stack = 7});
	read_ranges();
	check(of_page(30) == two && of_page(40) == number); // given to another before the call that moved it had returned

	check(mapped_report(&(struct mapped_event){.what = MAPPED_MADE, .start = 60 * PAGE, .limit = 61 * PAGE, .ticket = mapped_last(),
						   .stack = 7, .flags = MAPPED_FILE}) != 0);
	one = report(MAPPED_LEAVES, 60, 1, 0);
	two = report(MAPPED_LEAVES, 60, 1, 0);
	number = mapped_report(&(struct mapped_event){.what = MAPPED_MOVED, .start = 70 * PAGE, .limit = 71 * PAGE, .from = 60 * PAGE,
						    .from_limit = 61 * PAGE, .ticket = one, .stack = 7});
	report(MAPPED_STAYS, 60, 1, two);
	read_ranges();
	check(of_page(60) == 0 && of_page(70) == number && range_of(70 * PAGE)->flags == MAPPED_UNKNOWN); // it may be others' memory

	for (enum mapped_what what = MAPPED_REPLACED; what <= MAPPED_SHIFTED; what++) {
		made(30, 1);
		one = report(MAPPED_LEAVES, 30, 1, 0);
		two = report(MAPPED_CLAIMS, 40, 1, 0);
		report(MAPPED_GONE, 40, 1, report(MAPPED_LEAVES, 40, 1, 0));
		mapped_report(&(struct mapped_event){.what = what, .start = 40 * PAGE, .limit = 41 * PAGE, .from = 30 * PAGE,
						   .from_limit = 31 * PAGE, .ticket = one, .stack = 7});
		report(MAPPED_GONE, 40, 1, two);
		read_ranges();
		check(of_page(30) == 0 && of_page(40) == 0); // moved there, and unmapped by another before that was reported
	}
	check(cgoheap_stop());
}

static void segments(void)
{
	struct mapped_event shm = {.what = MAPPED_MADE, .start = PAGE, .limit = 5 * PAGE, .stack = 7, .flags = MAPPED_SEGMENT};
	struct mapped_event gone = {.what = MAPPED_DETACHES, .start = PAGE};
	start(1);
	uint64_t number = mapped_report(&shm);
	report(MAPPED_GONE, 1, 1, report(MAPPED_LEAVES, 1, 1, 0));
	uint64_t other = made(3, 1);
	gone.ticket = mapped_report(&gone);
	gone.what = MAPPED_STAYS;
	mapped_report(&gone);
	read_ranges();
	check(of_page(1) == 0 && of_page(2) == number && of_page(3) == other && of_page(4) == number);
	gone.what = MAPPED_DETACHES;
	gone.ticket = mapped_report(&gone);
	gone.what = MAPPED_GONE;
	mapped_report(&gone);
	read_ranges();
	check(of_page(2) == 0 && of_page(3) == other && of_page(4) == 0 && count_of_ranges == 1);
	check(cgoheap_stop());
}

// What a lost call has moved may look like the rest of a segment that begins below.
static void segments_and_lost_calls(void)
{
	struct mapped_event shm = {.what = MAPPED_MADE, .length = 77, .stack = 7, .flags = MAPPED_SEGMENT | MAPPED_OPEN};
	start(1);
	for (uint64_t page = 1; page <= 9; page += 4) {
		shm.start = page * PAGE;
		shm.limit = shm.start + PAGE;
		check(mapped_report(&shm) != 0);
	}
	read_ranges();
	check(count_of_ranges == 3 && ranges[0].flags == shm.flags && ranges[0].length == 77);
	mapped_lose(&(struct mapped_event){.start = 6 * PAGE, .limit = 7 * PAGE});
	read_ranges();
	check(count_of_ranges == 3 && ranges[0].flags == MAPPED_SEGMENT && ranges[0].length == PAGE);
	check(ranges[1].flags == MAPPED_SEGMENT && ranges[1].length == PAGE && ranges[2].flags == shm.flags && ranges[2].length == 77);
	check(cgoheap_stop());
}

static struct mapped_table *table_now(void)
{
	return region_at(cgoheap_region->mapped);
}

static void fill_queue(uint64_t from)
{
	for (int i = 0; i < MAPPED_EVENTS - MAPPED_CALLS; i++)
		check(made(from + 2 * i, 1) != 0);
}

// As if a thread were stopped while it has the table: only what lost calls concern is of unknown caller.
static void held(void)
{
	start(1);
	uint64_t first = made(1, 1), second = made(2, 3), third = made(9, 1);
	read_ranges();
	table_now()->lock = 1;
	fill_queue(20);
	check(made(1, 1) == 0 && report(MAPPED_LEAVES, 3, 1, 0) == 0 && cgoheap_counted(COUNT_LOST_MAPPED) == 2);
	table_now()->lock = 0;
	read_ranges();
	check(first != 0 && of_page(1) == 0); // mapped by a call that was lost
	check(of_page(2) == second && of_page(3) == 0 && of_page(4) == second); // unmapped by one, perhaps
	check(of_page(9) == third && of_page(20) != 0 && count_of_ranges == 3 + MAPPED_EVENTS - MAPPED_CALLS);
	uint64_t after = made(1, 1), again = made(3, 1);
	read_ranges();
	check(of_page(1) == after && of_page(3) == again);
	check(cgoheap_stop());
}

// A lost call is moving what is at 1 to 5, where there is something too.
static void a_lost_move(void)
{
	start(1);
	made(1, 9);
	table_now()->lock = 1;
	fill_queue(20);
	mapped_lose(&(struct mapped_event){.what = MAPPED_MOVED, .from = PAGE, .from_limit = 2 * PAGE, .start = 5 * PAGE, .limit = 6 * PAGE});
	table_now()->lock = 0;
	read_ranges();
	check(of_page(1) == 0 && of_page(2) != 0 && of_page(5) == 0 && of_page(6) != 0 && of_page(20) != 0);
	check(cgoheap_stop());
}

// What was reported before a lost event is applied before that takes effect.
static void lost_after_what_is_queued(void)
{
	start(1);
	table_now()->lock = 1;
	made(1, 3);
	mapped_lose(&(struct mapped_event){.start = 2 * PAGE, .limit = 3 * PAGE});
	table_now()->lock = 0;
	read_ranges();
	check(of_page(1) != 0 && of_page(2) == 0 && of_page(3) != 0);
	check(cgoheap_stop());
}

// The pages that only have ranges.
static void protect_ranges(int protection)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = (uintptr_t)table_now()->tree.first + page - 1;
	uintptr_t to = (uintptr_t)(table_now()->tree.first + MAPPED_CHUNK);
	check(mprotect((void *)(from / page * page), to / page * page - from / page * page, protection) == 0);
}

static void lose_page(uint64_t page)
{
	mapped_lose(&(struct mapped_event){.start = page * PAGE, .limit = (page + 1) * PAGE});
}

static volatile sig_atomic_t interrupted;

// What a call maps at 1 is lost at once, behind another loss, in the place of the one that the reader has just taken.
static void make_and_lose(int signal)
{
	(void)signal;
	protect_ranges(PROT_READ | PROT_WRITE);
	lose_page(6001);
	made(1, 1);
	lose_page(1);
	interrupted++;
}

// The reader is stopped by a fault where it takes the first loss out of the tree.
static void lost_while_it_is_read(void)
{
	struct sigaction action = {.sa_handler = make_and_lose}, old;
	start(1);
	for (uint64_t i = 0; i < MAPPED_CHUNK - 100; i++)
		made(1000 + 2 * i, 1);
	read_ranges();
	lose_page(2001);
	lose_page(4001);
	check(sigaction(SIGSEGV, &action, &old) == 0);
	protect_ranges(PROT_NONE);
	read_ranges();
	check(sigaction(SIGSEGV, &old, NULL) == 0 && interrupted == 1);
	read_ranges();
	check(of_page(1) == 0);
	check(cgoheap_stop());
}

// Ends of calls have places of their own, so that none stays under way for ever.
static void ends_find_a_place(void)
{
	uint64_t ticket[MAPPED_CALLS];
	start(1);
	for (int i = 0; i < MAPPED_CALLS; i++)
		ticket[i] = report(MAPPED_CLAIMS, 1 + 2 * i, 1, 0);
	read_ranges();
	table_now()->lock = 1;
	fill_queue(500);
	for (int i = 0; i < MAPPED_CALLS; i++)
		check(report(MAPPED_PLACED, 1 + 2 * i, 1, ticket[i]) != 0);
	check(made(1, 1) == 0);
	table_now()->lock = 0;
	read_ranges();
	check(of_page(1) == 0 && of_page(3) != 0 && of_page(1 + 2 * (MAPPED_CALLS - 1)) != 0);
	for (int i = 0; i < MAPPED_CALLS; i++)
		check(table_now()->calls[i].number == 0);
	check(cgoheap_stop());
}

// More lost events than can be kept, and one whose range nobody knows: then all is in doubt.
static void lost_without_bounds(void)
{
	start(1);
	for (int kind = 0; kind < 2; kind++) {
		uint64_t before = made(1, 1);
		if (kind == 0)
			mapped_lose(&(struct mapped_event){.what = MAPPED_DETACHES, .start = 9 * PAGE});
		for (uint64_t i = 0; kind == 1 && i <= PAGE_SET_RANGES; i++)
			mapped_lose(&(struct mapped_event){.start = (9 + 2 * i) * PAGE, .limit = (10 + 2 * i) * PAGE});
		read_ranges();
		check(before != 0 && count_of_ranges == 0);
		check(made(1, 1) != 0);
		read_ranges();
		check(count_of_ranges == 1);
	}
	check(cgoheap_stop());
}

// What a recording has lost and nobody has read since does not concern the next one.
static void lost_in_an_earlier_recording(void)
{
	start(1);
	mapped_lose(&(struct mapped_event){.what = MAPPED_DETACHES, .start = 9 * PAGE});
	mapped_lose(&(struct mapped_event){.start = PAGE, .limit = 2 * PAGE});
	check(cgoheap_stop());
	start(1);
	check(made(1, 1) != 0);
	read_ranges();
	check(of_page(1) != 0);
	check(cgoheap_stop());
}

static void an_event_that_is_being_written(void)
{
	start(1);
	made(1, 1);
	table_now()->tail++; // its slot is claimed
	made(2, 1);
	check(mapped_read(ranges, RANGES) == SIZE_MAX);
	check(cgoheap_stop());
}

static void full(void)
{
	const uint64_t most = (uint64_t)MAPPED_CHUNK * MAPPED_CHUNKS;
	start(1);
	for (uint64_t i = 0; i < most; i++)
		made(1 + 4 * i, 3);
	check(cgoheap_counted(COUNT_LOST_MAPPED) == 0);
	check(made(2 + 4 * most, 1) != 0);
	report(MAPPED_GONE, 2, 1, report(MAPPED_LEAVES, 2, 1, 0)); // the upper part has no room
	check(cgoheap_counted(COUNT_LOST_MAPPED) == 2);
	read_ranges();
	check(count_of_ranges == most && of_page(1) != 0 && of_page(2) == 0 && of_page(3) == 0 && of_page(5) != 0);
	report(MAPPED_GONE, 0, 4 * most, report(MAPPED_LEAVES, 0, 4 * most, 0));
	read_ranges();
	check(count_of_ranges == 0);
	check(cgoheap_stop());
}

// The number of ranges on the longest way from a range of the tree down.
static int depth_below(const struct mapped_tree *t, uint32_t range)
{
	if (range == 0)
		return 0;
	const struct mapped *m = mapped_at(t, range);
	int lower = depth_below(t, m->child[0]), higher = depth_below(t, m->child[1]);
	return 1 + (lower > higher ? lower : higher);
}

static int depth(void)
{
	return depth_below(&table_now()->tree, table_now()->tree.root);
}

// A tree of 10,000 ranges that came in random order is some 30 deep.
static void depth_of_the_tree(void)
{
	start(1);
	for (uint64_t i = 0; i < 10000; i++)
		made(1 + 2 * i, 1);
	check(depth() > 13 && depth() < 50);
	for (uint64_t i = 0; i < 10000; i += 2) // each other one is unmapped and mapped again
		report(MAPPED_GONE, 1 + 2 * i, 1, report(MAPPED_LEAVES, 1 + 2 * i, 1, 0));
	check(depth() < 50);
	for (uint64_t i = 0; i < 10000; i += 2)
		made(1 + 2 * i, 1);
	check(depth() < 50);
	check(cgoheap_stop());
}

static void size_of_tables(void)
{
	start(1);
	uint64_t before = cgoheap_region->used;
	for (uint64_t i = 0; i < 10000; i++)
		made(1 + 2 * i, 1);
	check(cgoheap_region->used - before + mapped_size() <= 1 << 20);
	check(cgoheap_stop());
}

static void *report_own(void *pages)
{
	uint64_t first = (uintptr_t)pages, random = first;
	for (int i = 0; i < 4000 / SCALE; i++) {
		uint64_t at = first + random_below(&random, 100);
		if (i % 2 == 0)
			made(at, 1 + i % 3);
		else
			report(MAPPED_GONE, at, 2, report(MAPPED_LEAVES, at, 2, 0));
	}
	report(MAPPED_GONE, first, 200, report(MAPPED_LEAVES, first, 200, 0));
	made(first, 3);
	return NULL;
}

static void threads_and_a_reader(void)
{
	pthread_t t[8];
	start(1);
	for (uintptr_t i = 0; i < 8; i++)
		pthread_create(&t[i], NULL, report_own, (void *)(1 + i * 1000));
	for (int i = 0; i < 200 / SCALE; i++)
		read_ranges();
	for (int i = 0; i < 8; i++)
		pthread_join(t[i], NULL);
	read_ranges();
	bool lost = cgoheap_counted(COUNT_LOST_MAPPED) != 0; // a thread was stopped for long
	check(lost || (count_of_ranges == 8 && ranges[7].start == 7001 * PAGE && ranges[7].limit == 7004 * PAGE));
	check(cgoheap_stop());
}

static bool begins; // both threads report

static void *report_one(void *page)
{
	while (!__atomic_load_n(&begins, __ATOMIC_ACQUIRE))
		;
	made((uintptr_t)page, 1);
	return NULL;
}

// A process may be read from outside, or killed, when nothing more is reported.
static void nothing_waits(void)
{
	pthread_t t[2];
	start(1);
	for (int i = 0; i < 2000 / SCALE; i++) {
		__atomic_store_n(&begins, false, __ATOMIC_RELEASE);
		for (uintptr_t k = 0; k < 2; k++)
			pthread_create(&t[k], NULL, report_one, (void *)(1 + 2 * k));
		__atomic_store_n(&begins, true, __ATOMIC_RELEASE);
		for (int k = 0; k < 2; k++)
			pthread_join(t[k], NULL);
		check(table_now()->head == table_now()->tail);
	}
	check(cgoheap_stop());
}

int main(void)
{
	run("the table agrees with an array of pages", agrees_with_pages);
	run("of calls that map in an order that is not known, nobody is blamed", unordered_maps);
	run("of calls that unmap in an order that is not known, nobody is blamed", unordered_unmaps);
	run("of calls that move in an order that is not known, nobody is blamed", unordered_moves);
	run("a segment is detached as a whole, and nothing else", segments);
	run("what a lost call concerns is no part of a segment below it", segments_and_lost_calls);
	run("a table that is held costs what lost calls concern, and no more", held);
	run("a lost call that moves concerns both places", a_lost_move);
	run("a lost event takes effect after those that were reported before it", lost_after_what_is_queued);
	run("calls that were announced can end while the queue is full", ends_find_a_place);
	run("a loss that comes while others are read takes effect after what was reported before it", lost_while_it_is_read);
	run("lost events without bounds leave all in doubt", lost_without_bounds);
	run("lost events of an earlier recording are forgotten", lost_in_an_earlier_recording);
	run("the reader waits for an event that is being written, and then says so", an_event_that_is_being_written);
	run("what a full table has no room for is not known", full);
	run("ranges that come in order make no deep tree", depth_of_the_tree);
	run("10,000 ranges take at most 1 MiB", size_of_tables);
	run("threads that report their own pages, and a reader", threads_and_a_reader);
	run("of two threads that report at once, one applies what both report", nothing_waits);
	return 0;
}
