//go:build linux && amd64 && cgo

#include "gate.h"

#include <sched.h>
#include <time.h>

#include "sites.h"
#include "thread.h"

#define SLOTS 64

uint32_t cgoheap_generation;

static uint32_t epoch;
static struct {
	uint32_t inside[2];
	char apart[56]; // one slot, one cache line
} slots[SLOTS];

bool gate_enter(struct pass *p, uint32_t generation)
{
	p->slot = cgoheap_thread.slot % SLOTS;
	for (;;) {
		p->parity = __atomic_load_n(&epoch, __ATOMIC_RELAXED) & 1;
		__atomic_fetch_add(&slots[p->slot].inside[p->parity], 1, __ATOMIC_SEQ_CST);
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

void gate_leave(struct pass p)
{
	__atomic_fetch_sub(&slots[p.slot].inside[p.parity], 1, __ATOMIC_RELEASE);
}

static bool empty(uint32_t parity)
{
	for (int i = 0; i < SLOTS; i++)
		if (__atomic_load_n(&slots[i].inside[parity], __ATOMIC_SEQ_CST) != 0)
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

void gate_open(void)
{
	static uint32_t recordings;
	if (++recordings == 0)
		recordings = 1;
	__atomic_store_n(&cgoheap_generation, recordings, __ATOMIC_SEQ_CST);
}

bool gate_close(void)
{
	__atomic_store_n(&cgoheap_generation, 0, __ATOMIC_SEQ_CST);
	return wait_until_empty(0) & wait_until_empty(1);
}

bool gate_settle(void)
{
	static bool waiting; // the old parity of an earlier call has not been emptied yet
	if (!waiting)
		__atomic_fetch_add(&epoch, 1, __ATOMIC_SEQ_CST);
	uint32_t old = (epoch & 1) ^ 1;
	waiting = !wait_until_empty(old);
	if (!waiting)
		sites_fold(old);
	return !waiting;
}

void gate_forsake(void)
{
	__atomic_store_n(&cgoheap_generation, 0, __ATOMIC_SEQ_CST);
}
