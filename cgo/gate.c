//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

#include "gate.h"

#include <sched.h>
#include <time.h>

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

bool gate_enter(struct pass *p, uint32_t generation)
{
	if (!region_here())
		return false;
	for (uint32_t place = cgoheap_thread.slot;; place++) {
		p->place = place % GATE_PLACES;
		p->parity = __atomic_load_n(&epoch, __ATOMIC_RELAXED) & 1;
		if (!take(p->place, p->parity))
			continue;
		// Only if the epoch is still this one does the reader wait for us.
		if ((__atomic_load_n(&epoch, __ATOMIC_SEQ_CST) & 1) == p->parity)
			break;
		gate_leave(*p);
	}
	if (__atomic_load_n(&cgoheap_generation, __ATOMIC_SEQ_CST) == generation)
		return true;
	gate_leave(*p);
	return false;
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
