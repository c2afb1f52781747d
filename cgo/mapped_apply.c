//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

// This file applies events to the tree of ranges.
//
// The event of a call that unmaps is queued before the call, and the event of a call that maps after it. So events of one address
// come in the order in which the kernel changed it. A call that unmaps may fail. So what it is about to unmap is marked with its
// number. When the call has returned, it is removed, or is as it was. Nobody owns a marked range.
//
//	munmap             LEAVES, the call, GONE or STAYS
//	mmap               the call, MADE
//	mmap at MAP_FIXED  CLAIMS, the call, PLACED, STAYS or GONE
//	mremap             LEAVES of what it takes away, the call, MOVED or STAYS
//	with MREMAP_FIXED  LEAVES, CLAIMS of where it maps, the call, REPLACED, SHIFTED or GONE, and GONE of what was there
//
// Threads that change the same addresses at once, without an order of their own, make the order unknown to us as well. Such
// calls are found in two ways. Announced ones that have not returned are listed, and whatever overlaps one spoils it; but if the
// kernel has given its addresses to another call, an unmapping has been done. And where a call has mapped, there can be no
// unmarked range that was made since it began. In both cases the range is attributed to no call.

#include "mapped_apply.h"

#include <stdbool.h>

// Functions that would make the frames of their callers large: they come last in what a hook calls.
#define DEEP __attribute__((noinline))

// Spoils the announced calls that overlap a range, and returns whether there are any. If the kernel chose the range, because it
// was free, a call that only unmaps has done so.
static bool spoil(struct mapped_table *t, const struct mapped_event *e, bool chosen)
{
	bool any = false;
	for (int i = 0; i < MAPPED_CALLS; i++) {
		struct mapped_call *c = &t->calls[i];
		if (c->number == 0 || c->start >= e->limit || c->limit <= e->start)
			continue;
		c->spoiled = any = true;
		if (chosen && !c->claims)
			c->number = 0;
	}
	return any;
}

// A call that finds no free entry counts as spoiled.
static void announce(struct mapped_table *t, const struct mapped_event *e, uint64_t number)
{
	bool spoiled = spoil(t, e, false);
	for (int i = 0; i < MAPPED_CALLS; i++)
		if (t->calls[i].number == 0) {
			t->calls[i] = (struct mapped_call){number, e->start, e->limit, spoiled, e->what == MAPPED_CLAIMS};
			return;
		}
}

// Ends an announced call. Returns whether nobody else changed its range.
static bool conclude(struct mapped_table *t, uint64_t ticket)
{
	for (int i = 0; i < MAPPED_CALLS; i++)
		if (t->calls[i].number == ticket) {
			t->calls[i].number = 0;
			return !t->calls[i].spoiled;
		}
	return false;
}

// Whether an announced call is about to map this very range, or has done so, and nobody else has changed it since.
static bool claimed(const struct mapped_table *t, const struct mapped_event *e)
{
	for (int i = 0; i < MAPPED_CALLS; i++) {
		const struct mapped_call *c = &t->calls[i];
		if (c->number != 0 && c->claims && c->start == e->start && c->limit == e->limit)
			return !c->spoiled;
	}
	return false;
}

static void mark(struct mapped_tree *t, uint32_t range, uint64_t number)
{
	if (mapped_at(t, range)->leaving == 0)
		mapped_at(t, range)->leaving = number;
	else
		mapped_remove(t, range);
}

// What an event does to the ranges that are there.
struct change {
	uint64_t start, limit;
	uint64_t ticket, number;
	enum mapped_what what;
};

static struct change change_of(const struct mapped_event *e, enum mapped_what what, uint64_t number)
{
	return (struct change){e->start, e->limit, e->ticket, number, what};
}

// Applies a change to a range.
static void touch(struct mapped_tree *t, uint32_t range, const struct change *c)
{
	struct mapped *m = mapped_at(t, range);
	bool announced = m->leaving == c->ticket;
	if (c->what == MAPPED_LEAVES || c->what == MAPPED_CLAIMS)
		mark(t, range, c->number);
	else if (c->what == MAPPED_STAYS && announced)
		m->leaving = 0;
	else if (c->what == MAPPED_GONE && announced)
		mapped_remove(t, range);
}

static void touch_all(struct mapped_tree *t, const struct change *c)
{
	uint32_t range = mapped_within(t, c->start, c->limit);
	while (range != 0) {
		uint64_t end = mapped_at(t, range)->limit;
		touch(t, range, c);
		range = mapped_next(t, end, c->limit);
	}
}

// Whether something was mapped in the range after an event, and is not being unmapped.
static bool made_since(const struct mapped_tree *t, const struct mapped_event *e)
{
	uint32_t range = mapped_next(t, e->start, e->limit);
	while (range != 0) {
		const struct mapped *m = mapped_at(t, range);
		if (m->number > e->ticket && m->leaving == 0)
			return true;
		range = mapped_next(t, m->limit, e->limit);
	}
	return false;
}

// Clears the range, and returns whether it can be attributed to the call: if it is certain that nobody has mapped there after it.
static bool clear(struct mapped_table *t, const struct mapped_event *e, bool certain)
{
	certain = certain && !made_since(&t->tree, e) && (e->stack != 0 || e->kind != MAPPED_PROGRAM);
	spoil(t, e, e->what == MAPPED_MADE || e->what == MAPPED_MOVED);
	mapped_clear(&t->tree, e->start, e->limit);
	return certain;
}

static DEEP void add(struct mapped_table *t, const struct mapped_event *e, uint64_t number)
{
	mapped_add(&t->tree, &(struct mapped){.start = e->start, .limit = e->limit, .base = e->start, .length = e->length,
					      .number = number, .stack = e->stack, .kind = e->kind, .flags = e->flags});
}

static DEEP void make(struct mapped_table *t, const struct mapped_event *e, uint64_t number, bool certain)
{
	if (clear(t, e, certain))
		add(t, e, number);
}

// What moved is the kind of memory that it was.
static DEEP void move(struct mapped_table *t, struct mapped_event *e, uint64_t number, bool certain)
{
	const struct change gone = {e->from, e->from_limit, e->ticket, number, MAPPED_GONE};
	uint32_t was = mapped_from(&t->tree, e->from);
	bool known = was != 0 && mapped_at(&t->tree, was)->leaving == e->ticket;
	e->flags = known ? mapped_at(&t->tree, was)->flags & ~MAPPED_OPEN : MAPPED_UNKNOWN;
	touch_all(&t->tree, &gone);
	make(t, e, number, certain);
}

// Since Linux 6.17, what a call moves may be several mappings, with gaps. Where nobody knows what was there, it may be a gap.
static DEEP void shift(struct mapped_table *t, const struct mapped_event *e, uint64_t number, bool certain)
{
	certain = clear(t, e, certain);
	uint32_t range = mapped_next(&t->tree, e->from, e->from_limit);
	for (uint64_t end; range != 0; range = mapped_next(&t->tree, end, e->from_limit)) {
		const struct mapped was = *mapped_at(&t->tree, range);
		struct mapped_event part = *e;
		end = was.limit;
		if (was.leaving != e->ticket)
			continue;
		part.start = e->start + (was.start - e->from);
		part.limit = e->start + (was.limit - e->from);
		part.flags = was.flags & ~MAPPED_OPEN;
		mapped_remove(&t->tree, range);
		if (certain)
			add(t, &part, number);
	}
}

// A segment's parts are wherever they were not unmapped. shmdt is rare.
static DEEP void each_of_segment(struct mapped_tree *t, const struct mapped_event *e, uint64_t number)
{
	const struct change c = change_of(e, e->what == MAPPED_DETACHES ? MAPPED_LEAVES : e->what, number);
	for (uint32_t range = 1; range <= t->used; range++) {
		const struct mapped *m = mapped_at(t, range);
		if ((m->flags & MAPPED_SEGMENT) != 0 && m->base == e->start)
			touch(t, range, &c);
	}
}

static DEEP void change_all(struct mapped_table *t, const struct mapped_event *e, enum mapped_what what, uint64_t number)
{
	const struct change c = change_of(e, what, number);
	touch_all(&t->tree, &c);
}

// Ends what a call announced. If others spoiled it and it failed, it changed nothing, but they did.
static void conclude_with(struct mapped_table *t, struct mapped_event *e, uint64_t number)
{
	bool certain = conclude(t, e->ticket);
	if (e->what == MAPPED_REPLACED || e->what == MAPPED_SHIFTED) // unrecorded memory may now look like another segment's part
		mapped_close(&t->tree, e->limit);
	bool away = e->start >= e->from_limit || e->limit <= e->from; // what it left may well be others' by now
	if (e->what == MAPPED_PLACED)
		make(t, e, number, certain);
	else if (e->what == MAPPED_MOVED)
		move(t, e, number, certain || away);
	else if (e->what == MAPPED_REPLACED)
		move(t, e, number, claimed(t, e));
	else if (e->what == MAPPED_SHIFTED)
		shift(t, e, number, claimed(t, e));
	else
		change_all(t, e, certain ? e->what : MAPPED_GONE, number);
}

void mapped_apply(struct mapped_table *t, struct mapped_event *e, uint64_t number)
{
	if (e->limit == 0 || e->what == MAPPED_DETACHES)
		return each_of_segment(&t->tree, e, number);
	if (e->what == MAPPED_MADE)
		return make(t, e, number, true);
	if (e->what != MAPPED_LEAVES && e->what != MAPPED_CLAIMS)
		return conclude_with(t, e, number);
	announce(t, e, number);
	change_all(t, e, e->what, number);
}
