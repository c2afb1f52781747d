//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

// The peak.
//
// Two words hold the bytes in use and the highest they have been; one compare-and-swap of both decides whether an
// allocation makes a new peak, so the order of those swaps is the order in which peaks happen. The second word is also
// the peak's mark: no two peaks have the same.
//
//	bytes in use, and all credit: 56, in units of 2^-4 | places with credit: 8
//	era of the reset: 9 | highest total: 52, in units of 2^-4 bytes | held still: 1 | reset is due: 1 | no credit: 1
//
// What credit is stands in credit.h.
//
// Copying all sites at a new peak would cost each allocation of a growing program the number of sites. Instead a site is
// copied when it first changes after the peak: until then what it has now is what it had then. So a site holds what was
// in use at the peak whose mark it bears, and the mark, swapped as one double word. Whoever changes a site with an old mark
// adds up what is in use there and swaps; whoever is late finds that the site bears the mark already.
//
// An event that is under way at the moment of the peak is on either side of it, as it is for any clock.
#include "peak.h"

#include "clock.h"
#include "credit.h"
#include "machine.h"
#include "sites.h"

// Of the word that holds the peak, besides those of credit.h; what is above them is its mark.
#define HELD 4ULL
#define TOTAL_BITS 52
#define TOTAL_MAX ((1ULL << TOTAL_BITS) - 1)
#define ERA (1ULL << (TOTAL_BITS + PEAK_FLAGS))

// Less credit than this, in units, is not worth the trouble of taking it back.
#define LEAST_CREDIT (4096 << 4)

void peak_copy(struct site *s, enum measure m)
{
	struct peak *p = &s->flow[m].peak, seen, next;
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

// How far a total is below the peak; less than 0 if it is above. The total may be below zero for a moment, by a free that
// overtakes what its allocation still has to do here, and nothing is made of it then.
static int64_t below(struct inuse t)
{
	return (int64_t)t.now < 0 ? 0 : (int64_t)(highest(t.peak) - total_of(t.now));
}

// What a place of the gate may have: a part, so that others find some too.
static uint64_t credit_for(struct inuse t)
{
	int64_t credit = below(t) / 4;
	bool none = credit < LEAST_CREDIT || t.now % UNIT == MOST_PLACES || (t.peak & (NO_CREDIT | DUE)) != 0;
	return none ? 0 : credit;
}

// The peak of a new era: what is in use now, and any credit that could not be taken back.
static uint64_t anew(struct inuse t)
{
	return (t.peak / ERA + 1) * ERA | total_of(t.now) << PEAK_FLAGS | (total_exact(t.now) ? 0 : DUE) | (t.peak & NO_CREDIT);
}

// The state that follows: a peak if the total is exact and above the last one, or with credit for a place of the gate.
static struct inuse next_of(struct inuse t, uint64_t credit)
{
	bool moves = total_exact(t.now) && (t.peak & HELD) == 0;
	if (moves && (t.peak & DUE) != 0)
		t.peak = anew(t);
	else if (moves && below(t) < 0)
		t.peak -= (uint64_t)below(t) << PEAK_FLAGS;
	else if (credit > 0)
		t.now += credit * UNIT + PLACE;
	return t;
}

// What is to be told of the way from a total that has moved to the state that followed.
static void note(struct inuse moved, struct inuse next)
{
	if (next.peak != moved.peak)
		__atomic_store_n(&cgoheap_region->peak_clock, clock_now(), __ATOMIC_RELAXED);
	else if (below(moved) < 0 && !total_exact(moved.now))
		count(COUNT_PEAK_INEXACT);
	else if (below(moved) < 0)
		note_missed(total_of(moved.now));
}

// Moves the total up, and opens credit if there is some to be had; NULL for none.
static void move(uint64_t by, uint64_t *credit)
{
	struct inuse seen = now(), moved, next;
	uint64_t given;
	bool waited = false;
	do {
		moved = (struct inuse){seen.now + by, seen.peak};
		while (below(moved) < 0 && !total_exact(moved.now) && !waited) { // it may be others' credit that passes the peak
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

void peak_raise(uint32_t place, uint64_t bytes)
{
	uint64_t *credit = credit_of(place);
	if (credit_spend(credit, bytes))
		return;
	credit_return(credit);
	move(bytes * UNIT, credit);
}

void peak_lower(uint32_t place, uint64_t bytes)
{
	if (!credit_give(credit_of(place), bytes))
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
	move(0, NULL); // what grew meanwhile and stayed is the new peak
}

uint64_t peak_missed(void)
{
	uint64_t missed = __atomic_load_n(&cgoheap_region->peak_missed, __ATOMIC_RELAXED);
	return missed > highest(peak_mark() << PEAK_FLAGS) ? missed >> 4 : 0;
}

// Sites keep no mark of an earlier era: eras are few, and their numbers come again.
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
