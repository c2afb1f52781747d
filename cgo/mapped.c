//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

// This file keeps the calls that mapped each range.
//
// Calls that map and unmap are rare, and each changes ranges that others may be changing. So there is one tree of ranges, which
// one thread at a time may touch, and nobody waits for it: a hook leaves an event in a queue, and applies the queue if no
// other thread is applying it. So a signal handler may interrupt a thread that applies the queue: its event waits there.
//
//	hook ── event ──► queue ── whoever has the lock ──► tree of ranges ── the reader, with the lock ──► a copy
//	                  mapped_queue.c                    mapped_apply.c, mapped_tree.c
//
// An event that cannot be queued leaves ranges behind that may be gone. So its addresses are put into a set that needs no lock. The
// reader takes them out of the tree, together with all that was mapped there until then. If the set has no room, all that was
// mapped before is in doubt, and is not in the reader's copy.

#include "mapped.h"

#include <stdbool.h>

#include "clock.h"
#include "mapped_queue.h"
#include "page_set.h"

_Static_assert(sizeof(struct mapped) == 64 && sizeof(struct mapped_event) == 64, "each is one cache line");

uint64_t mapped_size(void)
{
	return sizeof(struct mapped_table);
}

static struct mapped_table *table(void)
{
	return region_at(cgoheap_region->mapped);
}

uint64_t mapped_report(const struct mapped_event *e)
{
	struct mapped_table *t = table();
	uint64_t number = mapped_queue(t, e);
	if (number == 0) {
		count(COUNT_LOST_MAPPED);
		mapped_lose(e);
		return 0;
	}
	mapped_help(t);
	return number;
}

uint64_t mapped_last(void)
{
	return __atomic_load_n(&table()->tail, __ATOMIC_SEQ_CST);
}

// The pages of events that could not be reported. The set is not in the region, because whoever adds to it may be outside the gate:
// then the recording may be a later one, with its tables elsewhere, which loses a little.
static struct page_set lost_pages;
static bool lost_more; // ranges that are not in it

void mapped_begin(void)
{
	uint64_t start, limit;
	for (size_t i = 0; i < PAGE_SET_RANGES; i++)
		page_set_take(&lost_pages, i, &start, &limit);
	__atomic_store_n(&lost_more, false, __ATOMIC_SEQ_CST);
}

// Of a segment that is detached, only the beginning is known.
void mapped_lose(const struct mapped_event *e)
{
	bool kept = e->limit != 0 && page_set_add(&lost_pages, e->start, e->limit);
	if (e->from_limit != 0)
		kept = page_set_add(&lost_pages, e->from, e->from_limit) && kept;
	if (!kept)
		__atomic_store_n(&lost_more, true, __ATOMIC_SEQ_CST);
}

// Applies all events that were reported until now. Returns false if one of them is still being written.
static bool catch_up(struct mapped_table *t, uint64_t *last)
{
	*last = mapped_last();
	mapped_drain(t, *last - t->head);
	return t->head >= *last;
}

// Takes what a lost event concerned out of the tree, after all events that were reported before it; false if that cannot be yet.
static bool settle_range(struct mapped_table *t, const struct mapped_event *lost)
{
	uint64_t last;
	if (!catch_up(t, &last)) {
		mapped_lose(lost);
		return false;
	}
	mapped_clear(&t->tree, lost->start, lost->limit);
	mapped_close(&t->tree, lost->limit);
	return true;
}

static bool settle(struct mapped_table *t)
{
	struct mapped_event lost = {0};
	for (size_t i = 0; i < PAGE_SET_RANGES; i++)
		if (page_set_take(&lost_pages, i, &lost.start, &lost.limit) && !settle_range(t, &lost))
			return false;
	uint64_t last;
	if (!__atomic_exchange_n(&lost_more, false, __ATOMIC_SEQ_CST))
		return true;
	bool done = catch_up(t, &last);
	if (done)
		t->doubt = last;
	else
		__atomic_store_n(&lost_more, true, __ATOMIC_SEQ_CST);
	return done;
}

// Locks the table when the first so many events have been applied; false if they are not within a second.
static bool lock_after(struct mapped_table *t, uint64_t events)
{
	for (int i = 0; i < 10000; i++) {
		if (mapped_lock(t)) {
			mapped_drain(t, MAPPED_EVENTS);
			if (t->head >= events && settle(t))
				return true;
			mapped_unlock(t);
		}
		clock_pause(100000);
	}
	return false;
}

size_t mapped_read(struct mapped *to, size_t max)
{
	struct mapped_table *t = table();
	size_t found = 0;
	if (!lock_after(t, mapped_last()))
		return SIZE_MAX;
	for (uint32_t range = 1; range <= t->tree.used; range++) {
		const struct mapped *m = mapped_at(&t->tree, range);
		if (m->limit == 0 || m->leaving != 0 || m->number <= t->doubt)
			continue;
		if (found < max)
			to[found] = *m;
		found++;
	}
	mapped_unlock(t);
	mapped_help(t); // with what others have left to this thread
	return found;
}
