//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

// The peak.
//
// Two words hold the bytes in use and the highest they have been; one compare-and-swap of both decides whether an
// allocation makes a new peak, so the order of those swaps is the order in which peaks happen. The second word is also
// the peak's mark: no two peaks have the same.
//
//	bytes in use, and all credit: 56, in units of 2^-4 | slots with credit: 8
//	era of the reset: 9 | highest total: 52, in units of 2^-4 bytes | frozen: 1 | reset is due: 1 | no credit: 1
//
// credit.h explains credit.
//
// Copying all sites at every new peak would make each allocation of a growing program cost time in proportion to the
// number of sites. Instead a site is copied when it first changes after the peak: until then it has the same in use as
// at the peak. So a site holds what was in use at a peak, and the mark of that peak, swapped as one double word. A
// recorder that changes a site with an old mark adds up what is in use there and swaps; a recorder that is late finds
// the new mark already there.
//
// An event that is in progress at the moment of the peak counts as before or after it, as with any clock.
#include "peak.h"

#include "clock.h"
#include "credit.h"
#include "machine.h"
#include "sites.h"

// A flag in the word that holds the peak, beside the flags of credit.h. The bits above the flags are the mark.
#define HELD 4ULL
#define TOTAL_BITS 52
#define TOTAL_MAX ((1ULL << TOTAL_BITS) - 1)
#define ERA (1ULL << (TOTAL_BITS + PEAK_FLAGS))

// The least credit, in units, that is worth taking back.
#define LEAST_CREDIT (4096 << 4)

void peak_copy(struct site *s, enum measure m)
{
	struct peak *p = &s->peaks[m], seen, next;
	do {
		seen.mark = __atomic_load_n(&p->mark, __ATOMIC_ACQUIRE);
		next.mark = peak_mark();
		if (seen.mark == next.mark)
			return;
		seen.then = __atomic_load_n(&p->then, __ATOMIC_RELAXED);
		next.then = site_in_use(s, m);
	} while (!swap_pair(&p->mark, &seen.mark, &next.mark));
}

static struct inuse now(void)
{
	struct inuse *t = &cgoheap_region->inuse;
	return (struct inuse){__atomic_load_n(&t->now, __ATOMIC_RELAXED), __atomic_load_n(&t->peak, __ATOMIC_RELAXED)};
}

static bool swap(struct inuse *seen, struct inuse next)
{
	return swap_pair((uint64_t *)&cgoheap_region->inuse, (uint64_t *)seen, (const uint64_t *)&next);
}

static uint64_t highest(uint64_t peak)
{
	return (peak >> PEAK_FLAGS) & TOTAL_MAX;
}

static void note_missed(uint64_t total)
{
	uint64_t *missed = &cgoheap_region->peak_missed, seen = __atomic_load_n(missed, __ATOMIC_RELAXED);
	while (seen < total && !__atomic_compare_exchange_n(missed, &seen, total, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

// The total, between 0 and TOTAL_MAX, which is 256 TiB: no process has addresses for more.
static uint64_t total_of(uint64_t now)
{
	int64_t total = (int64_t)now / (int64_t)UNIT;
	return total < 0 ? 0 : total < (int64_t)TOTAL_MAX ? (uint64_t)total : TOTAL_MAX;
}

// How far a total is below the peak; negative if it is above. The total may be below zero for a moment, when a free is
// counted before its allocation; the result is then 0.
static int64_t below(struct inuse t)
{
	return (int64_t)t.now < 0 ? 0 : (int64_t)(highest(t.peak) - total_of(t.now));
}

// The credit that a slot of the gate may get: only a part, so that some is left for others.
static uint64_t credit_for(struct inuse t)
{
	int64_t credit = below(t) / 4;
	bool none = credit < LEAST_CREDIT || t.now % UNIT == MOST_SLOTS || (t.peak & (NO_CREDIT | DUE)) != 0;
	return none ? 0 : credit;
}

// The peak of a new era: what is in use now, and any credit that could not be taken back.
static uint64_t anew(struct inuse t)
{
	return (t.peak / ERA + 1) * ERA | total_of(t.now) << PEAK_FLAGS | (total_exact(t.now) ? 0 : DUE) | (t.peak & NO_CREDIT);
}

// Returns the next state: with a new peak if the total is exact and above the last peak, or with credit for a slot of the gate.
static struct inuse next_of(struct inuse t, uint64_t credit)
{
	bool moves = total_exact(t.now) && (t.peak & HELD) == 0;
	if (moves && (t.peak & DUE) != 0)
		t.peak = anew(t);
	else if (moves && below(t) < 0)
		t.peak -= (uint64_t)below(t) << PEAK_FLAGS;
	else if (credit > 0)
		t.now += credit * UNIT + SLOT;
	return t;
}

// Records what the step from moved to next means: a new peak, a peak that may have been missed, or one that passed
// while the peak was held.
static void note(struct inuse moved, struct inuse next)
{
	if (next.peak != moved.peak)
		__atomic_store_n(&cgoheap_region->peak_clock, clock_now(), __ATOMIC_RELAXED);
	else if (below(moved) < 0 && !total_exact(moved.now))
		count(COUNT_PEAK_INEXACT);
	else if (below(moved) < 0)
		note_missed(total_of(moved.now));
}

// Adds to the total, and opens credit if some is available; credit is NULL if none is wanted.
static void move(uint64_t by, uint64_t *credit)
{
	struct inuse seen = now(), moved, next;
	uint64_t given;
	bool waited = false;
	do {
		moved = (struct inuse){seen.now + by, seen.peak};
		while (below(moved) < 0 && !total_exact(moved.now) && !waited) { // only others' credit may pass the peak
			waited = !credit_take_back();
			seen = now();
			moved = (struct inuse){seen.now + by, seen.peak};
		}
		given = credit == NULL ? 0 : credit_for(moved);
		next = next_of(moved, given);
	} while (!swap(&seen, next));
	if (given > 0)
		credit_open(credit, given);
	note(moved, next);
}

void peak_raise(uint32_t slot, uint64_t bytes)
{
	uint64_t *credit = credit_of(slot);
	if (credit_spend(credit, bytes))
		return;
	credit_return(credit);
	move(bytes * UNIT, credit);
}

void peak_lower(uint32_t slot, uint64_t bytes)
{
	if (!credit_give(credit_of(slot), bytes))
		__atomic_fetch_sub(&cgoheap_region->inuse.now, bytes * UNIT, __ATOMIC_ACQ_REL);
}

uint64_t peak_total(void)
{
	bool of_a_moment = credit_forbid();
	uint64_t total = now().now;
	if (!of_a_moment)
		total -= credit_now() * UNIT;
	credit_allow();
	return total_of(total);
}

static void copy_site(void *record, const void *argument)
{
	(void)argument;
	peak_before(record);
}

// Copies all sites that have not changed since the peak.
static void copy_sites(void)
{
	sites_each(copy_site, NULL);
}

void peak_freeze(void)
{
	__atomic_fetch_or(&cgoheap_region->inuse.peak, HELD, __ATOMIC_SEQ_CST);
	copy_sites();
}

void peak_thaw(void)
{
	__atomic_fetch_and(&cgoheap_region->inuse.peak, ~HELD, __ATOMIC_SEQ_CST);
	move(0, NULL); // memory that grew meanwhile and stayed makes a new peak
}

uint64_t peak_read_missed(void)
{
	uint64_t missed = __atomic_load_n(&cgoheap_region->peak_missed, __ATOMIC_RELAXED);
	return missed > highest(peak_mark() << PEAK_FLAGS) ? missed >> 4 : 0;
}

// All sites get a mark of the new era: era numbers are few and repeat.
void peak_reset(void)
{
	if (!credit_forbid())
		count(COUNT_PEAK_INEXACT);
	struct inuse seen = now();
	while (!swap(&seen, (struct inuse){seen.now, anew(seen)}))
		;
	credit_allow();
	__atomic_store_n(&cgoheap_region->peak_missed, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&cgoheap_region->peak_clock, clock_now(), __ATOMIC_RELAXED);
	copy_sites();
}
