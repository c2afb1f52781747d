//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

#include "gate.h"

#include <sys/syscall.h>

#include "clock.h"
#include "gate_slot.h"
#include "machine.h"
#include "region.h"
#include "sites.h"
#include "thread.h"

uint32_t cgoheap_generation = UINT32_MAX;

// Bits of epoch: its parity, and whether recorders shall give way.
#define PARITY 1
#define GIVE_WAY 2

static uint32_t epoch;
static uint64_t give_way_until; // by clock_now
static uint32_t give_way_every = 1; // events of a thread

struct gate_inside cgoheap_inside[GATE_SLOTS];

uint32_t cgoheap_slots = GATE_HOMES;

static bool take(uint32_t slot, uint32_t parity)
{
	uint32_t vacant = GATE_VACANT;
	return __atomic_compare_exchange_n(&cgoheap_inside[slot].by, &vacant, GATE_INSIDE(parity), 0, __ATOMIC_SEQ_CST,
					   __ATOMIC_RELAXED);
}

// Takes a slot if it is vacant. Once it is taken, the epoch is checked again, in the bits of mask only.
static inline __attribute__((always_inline)) bool enter_at(struct pass *p, uint32_t slot, uint32_t mask)
{
	p->slot = slot;
	p->parity = __atomic_load_n(&epoch, __ATOMIC_RELAXED) & PARITY;
	if (!take(p->slot, p->parity))
		return false;
	// The reader waits for us only if the epoch is still this one.
	if ((__atomic_load_n(&epoch, __ATOMIC_SEQ_CST) & mask) == p->parity)
		return true;
	gate_vacate(*p);
	return false;
}

static bool vacant(uint32_t slot)
{
	return __atomic_load_n(&cgoheap_inside[slot].by, __ATOMIC_RELAXED) == GATE_VACANT;
}

// Tries some of the count slots from first on, as many as tries says, beginning with the one that the thread's number selects.
static bool enter_among(struct pass *p, uint32_t first, uint32_t count, uint32_t tries)
{
	for (uint32_t i = 0; i < tries; i++) {
		uint32_t slot = first + (cgoheap_thread.number + i) % count;
		if (vacant(slot) && slots_allow(slot) && enter_at(p, slot, PARITY))
			return true;
	}
	return false;
}

#define NEIGHBOURS 4 // homes that are tried before other slots

static bool enter_anywhere(struct pass *p)
{
	if (enter_among(p, 0, GATE_HOMES, NEIGHBOURS))
		return true;
	if (__atomic_load_n(&cgoheap_slots, __ATOMIC_RELAXED) != GATE_SLOTS)
		__atomic_store_n(&cgoheap_slots, GATE_SLOTS, __ATOMIC_SEQ_CST); // before one is taken: see empty()
	return enter_among(p, GATE_HOMES, GATE_SLOTS - GATE_HOMES, GATE_SLOTS - GATE_HOMES) ||
	       enter_among(p, 0, GATE_HOMES, GATE_HOMES);
}

static bool recording(uint32_t generation)
{
	return __atomic_load_n(&cgoheap_generation, __ATOMIC_SEQ_CST) == generation;
}

static bool full; // a recorder waited in vain, and none has found a slot since

// Pauses, if recorders are asked to and it is this one's turn.
static void give_way(void)
{
	if ((__atomic_load_n(&epoch, __ATOMIC_RELAXED) & GIVE_WAY) == 0 || ++cgoheap_thread.passed % __atomic_load_n(&give_way_every, __ATOMIC_RELAXED) != 0)
		return;
	if (clock_now() < __atomic_load_n(&give_way_until, __ATOMIC_RELAXED))
		clock_pause(GATE_PAUSE);
	else
		gate_give_way(0, 1);
}

// Waits for a slot, at most GATE_PAUSE in all; but not while the gate is full, because the recorders inside may never
// leave.
static bool enter_waiting(struct pass *p, uint32_t generation)
{
	if (enter_anywhere(p))
		return true;
	for (long pause = 10000; pause < GATE_PAUSE && !__atomic_load_n(&full, __ATOMIC_RELAXED) && recording(generation); pause *= 2) {
		clock_pause(pause);
		if (enter_anywhere(p))
			return true;
	}
	return false;
}

static inline bool stay_while(struct pass *p, uint32_t generation)
{
	if (recording(generation))
		return true;
	gate_vacate(*p);
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

static inline __attribute__((always_inline)) bool enter(struct pass *p, uint32_t generation)
{
	return enter_at(p, cgoheap_thread.number % GATE_HOMES, ~0u) ? stay_while(p, generation) : enter_late(p, generation);
}

static __attribute__((noinline, cold)) bool enter_shielded(struct pass *p, uint32_t generation)
{
	bool entered = enter(p, generation);
	cgoheap_thread.shield->inside = entered ? p->slot + 1 : 0;
	return entered;
}

bool gate_enter(struct pass *p, uint32_t generation)
{
	if (!region_here())
		return false;
	cgoheap_thread.inside++;
	bool entered = __builtin_expect(cgoheap_thread.shield != NULL, 0) ? enter_shielded(p, generation) : enter(p, generation);
	if (!entered)
		cgoheap_thread.inside--;
	return entered;
}

// Whether no recorder is inside, from *slot on, that the reader has to wait for. A recorder that takes a slot before
// *slot, or one beyond the slots that had been tried when the epoch changed, sees the new epoch.
static bool empty(uint32_t parity, uint32_t *slot)
{
	uint32_t slots = __atomic_load_n(&cgoheap_slots, __ATOMIC_SEQ_CST);
	while (*slot < slots && __atomic_load_n(&cgoheap_inside[*slot].by, __ATOMIC_SEQ_CST) != GATE_INSIDE(parity))
		++*slot;
	return *slot >= slots;
}

static bool wait_until_empty(uint32_t parity)
{
	uint32_t slot = 0;
	for (int i = 0; i < 10000; i++) {
		if (empty(parity, &slot))
			return true;
		if (i < 100)
			system_call(SYS_sched_yield, 0, 0, 0, 0);
		else
			clock_pause(100000);
	}
	return false;
}

uint32_t gate_crowd(void)
{
	uint32_t inside = 0;
	for (uint32_t i = 0; i < __atomic_load_n(&cgoheap_slots, __ATOMIC_RELAXED); i++)
		inside += !vacant(i);
	return inside;
}

void gate_give_way(uint64_t nanoseconds, uint32_t every)
{
	__atomic_store_n(&give_way_every, every, __ATOMIC_RELAXED);
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

static uint64_t turned; // when the last epoch ended, by clock_now

static void turn(void)
{
	turned = clock_now();
	__atomic_fetch_xor(&epoch, PARITY, __ATOMIC_SEQ_CST);
}

// The odd number is there before any sum changes, and the even one after all have.
static bool settle_last_epoch(void)
{
	uint64_t *settles = &cgoheap_region->settles, before = __atomic_load_n(settles, __ATOMIC_RELAXED) & ~1ULL;
	uint32_t old = ~__atomic_load_n(&epoch, __ATOMIC_RELAXED) & PARITY;
	if (!wait_until_empty(old))
		return false;
	__atomic_store_n(settles, before + 1, __ATOMIC_RELAXED);
	order_stores();
	sites_settle(old);
	__atomic_store_n(&cgoheap_region->settled_clock, turned, __ATOMIC_RELAXED);
	__atomic_store_n(settles, before + 2, __ATOMIC_RELEASE);
	return true;
}

bool gate_settle(void)
{
	static bool waiting; // an earlier call gave up on the last epoch
	if (!waiting || settle_last_epoch()) {
		turn();
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

uint64_t cgoheap_counted(enum counter c)
{
	uint64_t n = __atomic_load_n(&cgoheap_region->counters[c], __ATOMIC_RELAXED);
	for (uint32_t i = 0; i < __atomic_load_n(&cgoheap_slots, __ATOMIC_RELAXED); i++)
		n += __atomic_load_n(&slot_at(i)->counters[c], __ATOMIC_RELAXED);
	return n;
}
