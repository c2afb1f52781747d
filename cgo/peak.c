//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

// The peak.
//
// Two words hold the bytes in use and the highest they have been; one compare-and-swap of both decides whether an
// allocation makes a new peak, so the order of those swaps is the order in which peaks happen. The second word is also
// the peak's mark: no two peaks have the same.
//
//	bytes in use, and all credit: 56, in units of 2^-4 | places with credit: 8
//	era of the reset: 9 | highest total: 52, in units of 2^-4 bytes | reset is due: 1 | no credit: 1 | held still: 1
//
// Far below the peak nobody needs to know the total, and all cores would fight for its cache line. So a place of the gate
// is given credit: bytes that count as in use before they are. Its recorders take from it and give to it alone. Credit is
// given only where the total with all credit stays at or below the peak, so what it pays for never makes a new one; whoever
// would pass the peak takes back all credit first, and then the total is exact. A place's credit is opened and closed by
// the same swaps that count it, so while one is being opened, nobody takes the total for exact. A reader that needs the
// total of a moment forbids credit and takes back what there is; who is just being given some finds that it is forbidden,
// and gives it back.
//
// Copying all sites at a new peak would cost each allocation of a growing program the number of sites. Instead a site is
// copied when it first changes after the peak: until then what it has now is what it had then. So a site holds what was
// in use at the peak whose mark it bears, and the mark, swapped as one double word. Whoever changes a site with an old mark
// adds up what is in use there and swaps; whoever is late finds that the site bears the mark already.
//
// An event that is under way at the moment of the peak is on either side of it, as it is for any clock.
#include "peak.h"

#include "clock.h"
#include "gate.h"
#include "machine.h"
#include "sites.h"

// Of the word that holds the peak; what is above the flags is its mark.
#define HELD 1ULL
#define NO_CREDIT 2ULL
#define DUE 4ULL // the last reset found no exact total; who finds one next makes it the peak
#define TOTAL_BITS 52
#define TOTAL_MAX ((1ULL << TOTAL_BITS) - 1)
#define ERA (1ULL << (TOTAL_BITS + PEAK_FLAGS))

#define PATIENCE 4096 // looks at what another thread is about to end, some microseconds

// Of the word that holds the total: one place with credit, and one unit of the total.
#define PLACE 1ULL
#define UNIT (1ULL << 8)

// A place's credit: bytes << 1 | open.
#define OPENED 1ULL

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

static uint64_t *credit_of(uint32_t place)
{
	return &place_at(place)->credit;
}

// Takes from a place's credit; false if it has not as much.
static bool spend(uint64_t *credit, uint64_t bytes)
{
	uint64_t seen = __atomic_load_n(credit, __ATOMIC_RELAXED);
	while ((seen & OPENED) != 0 && seen >> 1 >= bytes)
		if (__atomic_compare_exchange_n(credit, &seen, seen - (bytes << 1), 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			return true;
	return false;
}

static bool give(uint64_t *credit, uint64_t bytes)
{
	uint64_t seen = __atomic_load_n(credit, __ATOMIC_RELAXED);
	while ((seen & OPENED) != 0)
		if (__atomic_compare_exchange_n(credit, &seen, seen + (bytes << 1), 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			return true;
	return false;
}

// What the total falls by when a place's credit is closed.
static uint64_t close_credit(uint64_t *credit)
{
	if ((__atomic_load_n(credit, __ATOMIC_SEQ_CST) & OPENED) == 0)
		return 0;
	uint64_t closed = __atomic_exchange_n(credit, 0, __ATOMIC_ACQ_REL);
	return (closed & OPENED) == 0 ? 0 : (closed >> 1) * UNIT + PLACE;
}

static bool exact(uint64_t total)
{
	return total % UNIT == 0;
}

// Takes back all credit. False if another thread was too long about opening or closing one.
static bool take_back(void)
{
	uint64_t *total = &cgoheap_region->inuse.now;
	for (uint32_t i = 0; i < GATE_PLACES; i++) {
		uint64_t closed = close_credit(credit_of(i));
		if (closed != 0 && exact(__atomic_sub_fetch(total, closed, __ATOMIC_ACQ_REL)))
			return true;
	}
	for (int looks = 0; looks < PATIENCE; looks++)
		if (exact(__atomic_load_n(total, __ATOMIC_RELAXED)))
			return true;
	return false;
}

// How far a total is below the peak; less than 0 if it is above. A total may be wrapped below zero for a moment, by a
// free that overtakes what its allocation still has to do here; as a number it is then far above TOTAL_MAX, and nothing
// is to be made of it.
static int64_t below(struct inuse t)
{
	uint64_t total = t.now / UNIT;
	return total > TOTAL_MAX ? 0 : (int64_t)(highest(t.peak) - total);
}

// What a place of the gate may have: a part, so that others find some too.
static uint64_t credit_for(struct inuse t)
{
	int64_t credit = below(t) / 4;
	return credit < LEAST_CREDIT || (t.peak & (NO_CREDIT | DUE)) != 0 ? 0 : credit;
}

static void return_credit(uint64_t *credit)
{
	uint64_t closed = close_credit(credit);
	if (closed != 0)
		__atomic_fetch_sub(&cgoheap_region->inuse.now, closed, __ATOMIC_ACQ_REL);
}

// After the swap that counted it. Whoever forbade credit since may have looked here before there was any.
static void open_credit(uint64_t *credit, uint64_t given)
{
	__atomic_store_n(credit, given << 1 | OPENED, __ATOMIC_SEQ_CST);
	if ((__atomic_load_n(&cgoheap_region->inuse.peak, __ATOMIC_SEQ_CST) & (NO_CREDIT | DUE)) != 0)
		return_credit(credit);
}

// The peak of a new era: what is in use now, and any credit that could not be taken back.
static uint64_t anew(struct inuse t)
{
	uint64_t total = t.now / UNIT <= TOTAL_MAX ? t.now / UNIT : 0;
	return (t.peak / ERA + 1) * ERA | total << PEAK_FLAGS | (exact(t.now) ? 0 : DUE) | (t.peak & NO_CREDIT);
}

// The state that follows: a peak if the total is exact and above the last one, or with credit for a place of the gate.
static struct inuse next_of(struct inuse t, uint64_t credit)
{
	bool moves = exact(t.now) && (t.peak & HELD) == 0;
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
	else if (below(moved) < 0 && !exact(moved.now))
		count(COUNT_PEAK_INEXACT);
	else if (below(moved) < 0)
		note_missed(moved.now / UNIT);
}

// Moves the total up, and opens credit if there is some to be had; NULL for none.
static void move(uint64_t by, uint64_t *credit)
{
	struct inuse seen = now(), moved, next;
	uint64_t given;
	bool waited = false;
	do {
		moved = (struct inuse){seen.now + by, seen.peak};
		while (below(moved) < 0 && !exact(moved.now) && !waited) { // it may be others' credit that passes the peak
			waited = !take_back();
			seen = now();
			moved = (struct inuse){seen.now + by, seen.peak};
		}
		given = credit == NULL ? 0 : credit_for(moved);
		next = next_of(moved, given);
	} while (!swap(&seen, next));
	if (given > 0)
		open_credit(credit, given);
	note(moved, next);
}

void peak_raise(uint32_t place, uint64_t bytes)
{
	uint64_t *credit = credit_of(place);
	if (spend(credit, bytes))
		return;
	return_credit(credit);
	move(bytes * UNIT, credit);
}

void peak_lower(uint32_t place, uint64_t bytes)
{
	if (!give(credit_of(place), bytes))
		__atomic_fetch_sub(&cgoheap_region->inuse.now, bytes * UNIT, __ATOMIC_ACQ_REL);
}

// Forbids credit until allow_credit. True once the total is exact, and until then; false if a thread
// that was being given credit, or was taking it back, was stopped for a second.
static bool forbid_credit(void)
{
	const struct timespec pause = {.tv_nsec = 100000};
	__atomic_fetch_or(&cgoheap_region->inuse.peak, NO_CREDIT, __ATOMIC_SEQ_CST);
	for (int patience = 10000; patience > 0; patience--) {
		if (exact(now().now) || take_back())
			return true;
		nanosleep(&pause, NULL);
	}
	return false;
}

static void allow_credit(void)
{
	__atomic_fetch_and(&cgoheap_region->inuse.peak, ~NO_CREDIT, __ATOMIC_SEQ_CST);
}

// What credit is open, in units of the total.
static uint64_t credit_now(void)
{
	uint64_t sum = 0;
	for (uint32_t i = 0; i < GATE_PLACES; i++)
		sum += __atomic_load_n(credit_of(i), __ATOMIC_RELAXED) >> 1;
	return sum;
}

uint64_t peak_total(void)
{
	bool of_a_moment = forbid_credit();
	uint64_t total = now().now / UNIT;
	if (!of_a_moment)
		total -= credit_now();
	allow_credit();
	return total > TOTAL_MAX ? 0 : total;
}

// Copies all sites that have not changed since the peak.
static void copy_sites(void)
{
	uint32_t *heads = region_at(cgoheap_region->site_heads);
	for (uint64_t i = 0; i < cgoheap_region->heads; i++) {
		uint32_t ref = __atomic_load_n(&heads[i], __ATOMIC_ACQUIRE);
		while (ref != 0) {
			struct site *s = region_ref(ref);
			peak_before(s);
			ref = s->next;
		}
	}
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
	if (!forbid_credit())
		count(COUNT_PEAK_INEXACT);
	struct inuse seen = now();
	while (!swap(&seen, (struct inuse){seen.now, anew(seen)}))
		;
	allow_credit();
	__atomic_store_n(&cgoheap_region->peak_missed, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&cgoheap_region->peak_clock, clock_now(), __ATOMIC_RELAXED);
	copy_sites();
}
