//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

// The queue of events, a ring without a lock at its tail. The slot of event n may be written when its turn is twice the number of
// times that the ring went around before n, read at one more, and written again at two more. The last slots are kept for calls that
// were announced and have returned: otherwise they would count as under way for ever.

#include "mapped_queue.h"

#include <string.h>

#include "clock.h"
#include "gate.h"
#include "mapped_apply.h"

#define AT_ONCE 64 // events that a hook applies under one lock, each in a fraction of a microsecond
#define ROUNDS 4   // locks that a hook takes

bool mapped_lock(struct mapped_table *t)
{
	uint64_t none = 0;
	return __atomic_load_n(&t->lock, __ATOMIC_SEQ_CST) == 0 &&
	       __atomic_compare_exchange_n(&t->lock, &none, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

void mapped_unlock(struct mapped_table *t)
{
	__atomic_store_n(&t->lock, 0, __ATOMIC_SEQ_CST);
}

static uint64_t turn_of(uint64_t event)
{
	return event / MAPPED_EVENTS * 2;
}

void mapped_drain(struct mapped_table *t, uint64_t most)
{
	for (; most > 0; most--) {
		struct mapped_event *e = &t->events[t->head % MAPPED_EVENTS];
		if (__atomic_load_n(&e->turn, __ATOMIC_ACQUIRE) != turn_of(t->head) + 1)
			return;
		mapped_apply(t, e, t->head + 1);
		__atomic_store_n(&e->turn, turn_of(t->head) + 2, __ATOMIC_RELEASE);
		__atomic_store_n(&t->head, t->head + 1, __ATOMIC_RELAXED);
	}
}

static bool waits(const struct mapped_table *t)
{
	uint64_t head = __atomic_load_n(&t->head, __ATOMIC_SEQ_CST);
	return __atomic_load_n(&t->events[head % MAPPED_EVENTS].turn, __ATOMIC_SEQ_CST) == turn_of(head) + 1;
}

// Whoever queues an event and finds the lock taken leaves it to the thread that has it. So this one looks again without the lock.
void mapped_help(struct mapped_table *t)
{
	for (int i = 0; i < ROUNDS && mapped_lock(t); i++) {
		mapped_drain(t, AT_ONCE);
		mapped_unlock(t);
		if (!waits(t))
			return;
	}
}

// The slot of the next event, NULL if there is none. Its number is one more.
static struct mapped_event *claim(struct mapped_table *t, bool ends, uint64_t *event)
{
	uint64_t at = __atomic_load_n(&t->tail, __ATOMIC_RELAXED), room = MAPPED_EVENTS - (ends ? 0 : MAPPED_CALLS);
	for (;;) {
		struct mapped_event *e = &t->events[at % MAPPED_EVENTS];
		uint64_t turn = __atomic_load_n(&e->turn, __ATOMIC_ACQUIRE);
		*event = at;
		if (turn < turn_of(at) || at >= __atomic_load_n(&t->head, __ATOMIC_RELAXED) + room)
			return NULL;
		if (turn > turn_of(at))
			at = __atomic_load_n(&t->tail, __ATOMIC_RELAXED);
		else if (__atomic_compare_exchange_n(&t->tail, &at, at + 1, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			return e;
	}
}

static bool full; // an event waited in vain, and none has found a slot since

static __attribute__((noinline)) struct mapped_event *claim_waiting(struct mapped_table *t, bool ends, uint64_t *event)
{
	struct mapped_event *e = claim(t, ends, event);
	bool again = __atomic_load_n(&full, __ATOMIC_RELAXED);
	for (long pause = 10000; e == NULL; pause *= 2) {
		mapped_help(t);
		if ((e = claim(t, ends, event)) != NULL || pause > (again ? GATE_PAUSE / 100 : GATE_PAUSE / 2))
			break;
		clock_pause(pause);
	}
	if (__atomic_load_n(&full, __ATOMIC_RELAXED) != (e == NULL))
		__atomic_store_n(&full, e == NULL, __ATOMIC_RELAXED);
	return e;
}

uint64_t mapped_queue(struct mapped_table *t, const struct mapped_event *e)
{
	uint64_t event;
	struct mapped_event *slot = claim_waiting(t, e->what != MAPPED_MADE && e->ticket != 0, &event);
	if (slot == NULL)
		return 0;
	memcpy((char *)slot + sizeof slot->turn, (const char *)e + sizeof e->turn, sizeof *e - sizeof e->turn);
	__atomic_store_n(&slot->turn, turn_of(event) + 1, __ATOMIC_SEQ_CST);
	return event + 1;
}
