//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

// The peak.
//
// Two words hold the bytes in use and the highest they have been; one compare-and-swap of both decides whether an
// allocation makes a new peak, so the order of those swaps is the order in which peaks happen. The second word is also
// the peak's mark: no two peaks have the same.
//
//	era of the reset: 10 | highest total: 52, in units of 2^-4 bytes | held still: 1
//
// Copying all sites at a new peak would cost each allocation of a growing program the number of sites. Instead a site is
// copied when it first changes after the peak: until then what it has now is what it had then. So a site holds what is in
// use now, what was in use at the peak whose mark it bears, and the mark. Whoever changes a site with an old mark claims
// it, copies, and marks it, which is a dozen instructions; whoever comes in between waits for as long, and if a claim
// takes longer than that, because its thread is not running, goes on and counts that the peak may be wrong by one block.
//
// An event that is under way at the moment of the peak is on either side of it, as it is for any clock. So objects and
// bytes of one site may be torn apart by one such event; where all blocks have one size, objects tell the bytes.
#include "peak.h"

#include <sched.h>
#include <time.h>

#include "clock.h"
#include "machine.h"

#define HELD 1ULL
#define TOTAL_BITS 52
#define TOTAL_MAX ((1ULL << TOTAL_BITS) - 1)
#define ERA (1ULL << (TOTAL_BITS + 1))

// A site's state: mark << 1 | claimed.
#define CLAIMED 1ULL

#define PATIENCE 4096 // looks at a claimed site, some microseconds

static uint64_t mark(void)
{
	return __atomic_load_n(&cgoheap_region->inuse.peak, __ATOMIC_ACQUIRE) >> 1;
}

static void copy(struct weight *to, const struct weight *from)
{
	__atomic_store_n(&to->objects, __atomic_load_n(&from->objects, __ATOMIC_RELAXED), __ATOMIC_RELAXED);
	__atomic_store_n(&to->bytes, __atomic_load_n(&from->bytes, __ATOMIC_RELAXED), __ATOMIC_RELAXED);
}

// Brings the site up to the current peak, unless another thread is at it. The mark is loaded after the state: if they
// differ, the mark is the younger.
static bool bring_up(struct peak *p)
{
	uint64_t state = __atomic_load_n(&p->state, __ATOMIC_ACQUIRE), now = mark();
	if (state == now << 1)
		return true;
	if ((state & CLAIMED) != 0 ||
	    !__atomic_compare_exchange_n(&p->state, &state, now << 1 | CLAIMED, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		return false;
	copy(&p->then, &p->now);
	__atomic_store_n(&p->state, now << 1, __ATOMIC_RELEASE);
	return true;
}

static void change(struct peak *p, uint64_t objects, uint64_t bytes)
{
	int looks = 0;
	while (!bring_up(p) && ++looks < PATIENCE)
		;
	if (looks == PATIENCE)
		count(COUNT_PEAK_INEXACT);
	__atomic_fetch_add(&p->now.objects, objects, __ATOMIC_RELAXED);
	__atomic_fetch_add(&p->now.bytes, bytes, __ATOMIC_RELAXED);
}

static bool swap(struct inuse *seen, struct inuse next)
{
	return swap_pair((uint64_t *)&cgoheap_region->inuse, (uint64_t *)seen, (const uint64_t *)&next);
}

static uint64_t highest(uint64_t peak)
{
	return (peak >> 1) & TOTAL_MAX;
}

static void note_missed(uint64_t total)
{
	uint64_t *missed = &cgoheap_region->peak_missed, seen = __atomic_load_n(missed, __ATOMIC_RELAXED);
	while (seen < total && !__atomic_compare_exchange_n(missed, &seen, total, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

// A total may be wrapped below zero for a moment, by a free that overtakes what its allocation still has to do here; as
// a number it is then far above TOTAL_MAX.
static void raise_total(uint64_t bytes)
{
	struct inuse *t = &cgoheap_region->inuse, next;
	struct inuse seen = {__atomic_load_n(&t->now, __ATOMIC_RELAXED), __atomic_load_n(&t->peak, __ATOMIC_RELAXED)};
	bool higher;
	do {
		next = (struct inuse){seen.now + bytes, seen.peak};
		higher = next.now > highest(seen.peak) && next.now <= TOTAL_MAX;
		if (higher && (seen.peak & HELD) == 0)
			next.peak += (next.now - highest(seen.peak)) << 1;
	} while (!swap(&seen, next));
	if (higher && (next.peak & HELD) != 0)
		note_missed(next.now);
	else if (higher)
		__atomic_store_n(&cgoheap_region->peak_clock, clock_now(), __ATOMIC_RELAXED);
}

void peak_add(struct site *s, struct weight w)
{
	change(&s->peak, w.objects, w.bytes);
	raise_total(w.bytes); // last: the site's own change belongs to the peak that it makes
}

void peak_subtract(struct site *s, struct weight w)
{
	__atomic_fetch_sub(&cgoheap_region->inuse.now, w.bytes, __ATOMIC_ACQ_REL);
	change(&s->peak, -w.objects, -w.bytes);
}

static bool wait_for(struct peak *p)
{
	const struct timespec pause = {.tv_nsec = 100000};
	for (int i = 0; i < 10000; i++) {
		if (bring_up(p))
			return true;
		if (i < 100)
			sched_yield();
		else
			nanosleep(&pause, NULL);
	}
	return false;
}

bool peak_freeze(void)
{
	__atomic_fetch_or(&cgoheap_region->inuse.peak, HELD, __ATOMIC_SEQ_CST);
	uint32_t *heads = region_at(cgoheap_region->site_heads);
	for (uint64_t i = 0; i < cgoheap_region->heads; i++) {
		uint32_t ref = __atomic_load_n(&heads[i], __ATOMIC_ACQUIRE);
		while (ref != 0) {
			struct site *s = region_ref(ref);
			if (!wait_for(&s->peak))
				return false;
			ref = s->next;
		}
	}
	return true;
}

void peak_thaw(void)
{
	__atomic_fetch_and(&cgoheap_region->inuse.peak, ~HELD, __ATOMIC_SEQ_CST);
	raise_total(0); // what grew meanwhile and stayed is the new peak
}

uint64_t peak_missed(void)
{
	uint64_t missed = __atomic_load_n(&cgoheap_region->peak_missed, __ATOMIC_RELAXED);
	return missed > highest(mark() << 1) ? missed >> 4 : 0;
}

void peak_reset(void)
{
	struct inuse *t = &cgoheap_region->inuse;
	struct inuse seen = {__atomic_load_n(&t->now, __ATOMIC_RELAXED), __atomic_load_n(&t->peak, __ATOMIC_RELAXED)}, next;
	do {
		uint64_t total = seen.now <= TOTAL_MAX ? seen.now : 0;
		next = (struct inuse){seen.now, (((seen.peak / ERA) + 1) * ERA) | (total << 1)};
	} while (!swap(&seen, next));
	__atomic_store_n(&cgoheap_region->peak_missed, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&cgoheap_region->peak_clock, clock_now(), __ATOMIC_RELAXED);
}
