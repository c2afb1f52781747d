//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

#include "gate.h"

#include <sched.h>
#include <sys/syscall.h>
#include <time.h>

#include "clock.h"
#include "machine.h"
#include "region.h"
#include "sites.h"
#include "thread.h"

uint32_t cgoheap_generation = UINT32_MAX;

// The parity of the epoch, and whether recorders shall give way.
#define PARITY 1
#define GIVE_WAY 2

static uint32_t epoch;
static uint64_t give_way_until; // by clock_now

struct gate_inside cgoheap_inside[GATE_PLACES];

uint32_t cgoheap_places = GATE_HOMES;

static bool take(uint32_t place, uint32_t parity)
{
	uint32_t vacant = GATE_VACANT;
	return __atomic_compare_exchange_n(&cgoheap_inside[place].by, &vacant, GATE_INSIDE(parity), 0, __ATOMIC_SEQ_CST,
					   __ATOMIC_RELAXED);
}

// Of the epoch, only what mask leaves is looked at once the place is taken.
static inline __attribute__((always_inline)) bool enter_at(struct pass *p, uint32_t place, uint32_t mask)
{
	p->place = place;
	p->parity = __atomic_load_n(&epoch, __ATOMIC_RELAXED) & PARITY;
	if (!take(p->place, p->parity))
		return false;
	// Only if the epoch is still this one does the reader wait for us.
	if ((__atomic_load_n(&epoch, __ATOMIC_SEQ_CST) & mask) == p->parity)
		return true;
	gate_leave(*p);
	return false;
}

static bool vacant(uint32_t place)
{
	return __atomic_load_n(&cgoheap_inside[place].by, __ATOMIC_RELAXED) == GATE_VACANT;
}

// Tries tries places of count from first on, beginning with the one that the thread's number leads to.
static bool enter_among(struct pass *p, uint32_t first, uint32_t count, uint32_t tries)
{
	for (uint32_t i = 0; i < tries; i++) {
		uint32_t place = first + (cgoheap_thread.slot + i) % count;
		if (vacant(place) && enter_at(p, place, PARITY))
			return true;
	}
	return false;
}

#define NEIGHBOURS 4 // homes that are tried before other places

static bool enter_anywhere(struct pass *p)
{
	if (enter_among(p, 0, GATE_HOMES, NEIGHBOURS))
		return true;
	if (__atomic_load_n(&cgoheap_places, __ATOMIC_RELAXED) != GATE_PLACES)
		__atomic_store_n(&cgoheap_places, GATE_PLACES, __ATOMIC_SEQ_CST); // before one is taken: see empty
	return enter_among(p, GATE_HOMES, GATE_PLACES - GATE_HOMES, GATE_PLACES - GATE_HOMES) ||
	       enter_among(p, 0, GATE_HOMES, GATE_HOMES);
}

// The kernel's nanosleep: whoever is stopped in a place may need this core to go on.
static void pause_for(long nanoseconds)
{
	const struct timespec pause = {.tv_nsec = nanoseconds};
	system_call(SYS_nanosleep, (long)&pause, 0, 0, 0);
}

static bool recording(uint32_t generation)
{
	return __atomic_load_n(&cgoheap_generation, __ATOMIC_SEQ_CST) == generation;
}

static bool full; // somebody waited in vain, and nobody has found a place here since

#define EVENTS_BETWEEN 4 // some microseconds with what it takes to switch threads: a thousandth of a pause

// Pauses, if that is asked of recorders and it is this one's turn.
static void give_way(void)
{
	if ((__atomic_load_n(&epoch, __ATOMIC_RELAXED) & GIVE_WAY) == 0 || ++cgoheap_thread.passed % EVENTS_BETWEEN != 0)
		return;
	if (clock_now() < __atomic_load_n(&give_way_until, __ATOMIC_RELAXED))
		pause_for(GATE_PAUSE);
	else
		gate_give_way(0);
}

// Waits for a place, GATE_PAUSE in all; while the gate is full, not at all, since those who are inside may never leave.
static bool enter_waiting(struct pass *p, uint32_t generation)
{
	if (enter_anywhere(p))
		return true;
	for (long pause = 10000; pause < GATE_PAUSE && !__atomic_load_n(&full, __ATOMIC_RELAXED) && recording(generation); pause *= 2) {
		pause_for(pause);
		if (enter_anywhere(p))
			return true;
	}
	return false;
}

static inline bool stay_while(struct pass *p, uint32_t generation)
{
	if (recording(generation))
		return true;
	gate_leave(*p);
	return false;
}

static __attribute__((noinline, cold)) bool enter_late(struct pass *p, uint32_t generation)
{
	give_way();
	bool entered = enter_waiting(p, generation);
	if (__atomic_load_n(&full, __ATOMIC_RELAXED) == entered)
		__atomic_store_n(&full, !entered, __ATOMIC_RELAXED);
	if (entered)
		return stay_while(p, generation);
	if (recording(generation))
		count(COUNT_LOST_GATE);
	return false;
}

bool gate_enter(struct pass *p, uint32_t generation)
{
	if (!region_here())
		return false;
	return enter_at(p, cgoheap_thread.slot % GATE_HOMES, ~0u) ? stay_while(p, generation) : enter_late(p, generation);
}

// Whether nobody is inside that the reader has to wait for, from *place on. Whoever takes a place that is behind *place, or one
// that did not count when the epoch changed, finds that it has changed.
static bool empty(uint32_t parity, uint32_t *place)
{
	uint32_t places = __atomic_load_n(&cgoheap_places, __ATOMIC_SEQ_CST);
	while (*place < places && __atomic_load_n(&cgoheap_inside[*place].by, __ATOMIC_SEQ_CST) != GATE_INSIDE(parity))
		++*place;
	return *place >= places;
}

static bool wait_until_empty(uint32_t parity)
{
	const struct timespec pause = {.tv_nsec = 100000};
	uint32_t place = 0;
	for (int i = 0; i < 10000; i++) {
		if (empty(parity, &place))
			return true;
		if (i < 100)
			sched_yield();
		else
			nanosleep(&pause, NULL);
	}
	return false;
}

uint32_t gate_crowd(void)
{
	uint32_t inside = 0;
	for (uint32_t i = 0; i < __atomic_load_n(&cgoheap_places, __ATOMIC_RELAXED); i++)
		inside += !vacant(i);
	return inside;
}

void gate_give_way(uint64_t nanoseconds)
{
	__atomic_store_n(&give_way_until, clock_now() + nanoseconds, __ATOMIC_RELAXED);
	if (nanoseconds > 0)
		__atomic_fetch_or(&epoch, GIVE_WAY, __ATOMIC_SEQ_CST);
	else
		__atomic_fetch_and(&epoch, ~GIVE_WAY, __ATOMIC_SEQ_CST);
}

void gate_build(void)
{
	__atomic_store_n(&cgoheap_generation, 0, __ATOMIC_RELEASE);
}

void gate_open(void)
{
	static uint32_t recordings;
	if (++recordings > INT32_MAX)
		recordings = 1;
	__atomic_store_n(&cgoheap_generation, recordings, __ATOMIC_SEQ_CST);
}

bool gate_close(void)
{
	__atomic_store_n(&cgoheap_generation, 0, __ATOMIC_SEQ_CST);
	return wait_until_empty(0) & wait_until_empty(1);
}

static bool settle_last_epoch(void)
{
	uint32_t old = ~__atomic_load_n(&epoch, __ATOMIC_RELAXED) & PARITY;
	if (!wait_until_empty(old))
		return false;
	sites_settle(old);
	return true;
}

bool gate_settle(void)
{
	static bool waiting; // an earlier call gave up on the last epoch
	if (!waiting || settle_last_epoch()) {
		__atomic_fetch_xor(&epoch, PARITY, __ATOMIC_SEQ_CST);
		waiting = !settle_last_epoch();
		if (!waiting)
			return true;
	}
	count(COUNT_UNSETTLED);
	return false;
}

void gate_forsake(void)
{
	__atomic_store_n(&cgoheap_generation, 0, __ATOMIC_SEQ_CST);
}
