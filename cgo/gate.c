//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

#include "gate.h"

#include <sched.h>
#include <sys/syscall.h>
#include <time.h>

#include "machine.h"
#include "region.h"
#include "sites.h"
#include "thread.h"

uint32_t cgoheap_generation = UINT32_MAX;

static uint32_t epoch;

struct gate_inside cgoheap_inside[GATE_PLACES];

static bool take(uint32_t place, uint32_t parity)
{
	uint32_t vacant = GATE_VACANT;
	return __atomic_compare_exchange_n(&cgoheap_inside[place].by, &vacant, GATE_INSIDE(parity), 0, __ATOMIC_SEQ_CST,
					   __ATOMIC_RELAXED);
}

static inline __attribute__((always_inline)) bool enter_at(struct pass *p, uint32_t place)
{
	p->place = place % GATE_PLACES;
	p->parity = __atomic_load_n(&epoch, __ATOMIC_RELAXED) & 1;
	if (!take(p->place, p->parity))
		return false;
	// Only if the epoch is still this one does the reader wait for us.
	if ((__atomic_load_n(&epoch, __ATOMIC_SEQ_CST) & 1) == p->parity)
		return true;
	gate_leave(*p);
	return false;
}

static bool enter_anywhere(struct pass *p)
{
	for (uint32_t i = 0; i < GATE_PLACES; i++)
		if (enter_at(p, cgoheap_thread.slot + i))
			return true;
	return false;
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

// Waits for a place, 10 ms in all; while the gate is full, not at all, since those who are inside may never leave.
static bool enter_waiting(struct pass *p, uint32_t generation)
{
	if (enter_anywhere(p))
		return true;
	for (long pause = 10000; pause < 10000000 && !__atomic_load_n(&full, __ATOMIC_RELAXED) && recording(generation); pause *= 2) {
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
	return enter_at(p, cgoheap_thread.slot) ? stay_while(p, generation) : enter_late(p, generation);
}

static bool empty(uint32_t parity)
{
	for (int i = 0; i < GATE_PLACES; i++)
		if (__atomic_load_n(&cgoheap_inside[i].by, __ATOMIC_SEQ_CST) == GATE_INSIDE(parity))
			return false;
	return true;
}

static bool wait_until_empty(uint32_t parity)
{
	const struct timespec pause = {.tv_nsec = 100000};
	for (int i = 0; i < 10000; i++) {
		if (empty(parity))
			return true;
		if (i < 100)
			sched_yield();
		else
			nanosleep(&pause, NULL);
	}
	return false;
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
	uint32_t old = (epoch & 1) ^ 1;
	if (!wait_until_empty(old))
		return false;
	sites_settle(old);
	return true;
}

bool gate_settle(void)
{
	static bool waiting; // an earlier call gave up on the last epoch
	if (!waiting || settle_last_epoch()) {
		__atomic_fetch_add(&epoch, 1, __ATOMIC_SEQ_CST);
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
