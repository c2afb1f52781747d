//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

#include "record_mapped.h"

#include <errno.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include "gate.h"
#include "machine.h"
#include "mapped_calls.h"
#include "record.h"
#include "region.h"
#include "scratch.h"
#include "shield.h"
#include "signals.h"

uint32_t cgoheap_mapped_watch = MAPPED_WATCH_UNBUILT;

static struct {
	uintptr_t learner; // the thread that finds them
	uintptr_t met[2];  // the return addresses of its last calls
	bool found;
} go;

uintptr_t cgoheap_go_calls[2];
bool cgoheap_end_moved;
struct page_set cgoheap_go_pages;

static struct {
	uintptr_t lo, hi;
} allocator;

static void watch(uint32_t bit, bool on)
{
	if (on)
		__atomic_fetch_or(&cgoheap_mapped_watch, bit, __ATOMIC_SEQ_CST);
	else
		__atomic_fetch_and(&cgoheap_mapped_watch, ~bit, __ATOMIC_SEQ_CST);
}

void mapping_watch(bool on)
{
	watch(MAPPED_WATCH_RECORD, on && go.found);
}

void mapping_met(const struct registers *caller, int which)
{
	if (__builtin_expect((__atomic_load_n(&cgoheap_mapped_watch, __ATOMIC_RELAXED) & MAPPED_WATCH_LEARN) != 0, 0) && go.learner == thread_pointer())
		go.met[which] = caller->pc;
}

// Maps a page by one function or the other, and unmaps it by Go's.
static bool try_calls(const struct go_calls *from, bool other)
{
	size_t page = getauxval(AT_PAGESZ);
	go.met[0] = go.met[1] = 0;
	uintptr_t at = other ? (uintptr_t)from->other(page) : from->mmap(NULL, page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (at < page || at == (uintptr_t)MAP_FAILED) // an errno
		return false;
	from->munmap((void *)at, page);
	return go.met[0] != 0 && go.met[1] != 0;
}

// Finds them once: what Go has mapped since would not be known any more.
bool mapping_find_go(const struct go_calls *from)
{
	if (go.found)
		return true;
	go.learner = thread_pointer();
	watch(MAPPED_WATCH_LEARN, true);
	go.found = try_calls(from, false);
	uintptr_t maps = go.met[0], unmaps = go.met[1];
	go.found = go.found && try_calls(from, true) && go.met[0] != maps && go.met[1] == unmaps;
	watch(MAPPED_WATCH_LEARN, false);
	__atomic_store_n(&cgoheap_go_calls[1], go.found ? unmaps : 0, __ATOMIC_RELAXED);
	__atomic_store_n(&cgoheap_go_calls[0], go.found ? maps : 0, __ATOMIC_RELAXED);
	return go.found;
}

extern uintptr_t x_cgo_mmap(void *, uintptr_t, int32_t, int32_t, int32_t, uint32_t) __attribute__((weak));
extern void x_cgo_munmap(void *, uintptr_t) __attribute__((weak));

bool mapping_know_go(void *(*other)(size_t length))
{
	const struct go_calls runtime = {x_cgo_mmap, x_cgo_munmap, other};
	return runtime.mmap != NULL && runtime.munmap != NULL && mapping_find_go(&runtime);
}

void mapping_set_allocator(uintptr_t lo, uintptr_t hi)
{
	allocator.lo = lo;
	allocator.hi = hi;
}

static bool by_go(const struct mapping *m)
{
	return mapping_by_go(m->caller->pc, 0) || mapping_by_go(m->caller->pc, 1);
}

static enum mapped_kind kind_of(uintptr_t pc)
{
	if (mapping_by_go(pc, 0))
		return MAPPED_GO;
	return pc - allocator.lo < allocator.hi - allocator.lo ? MAPPED_ALLOCATOR : MAPPED_PROGRAM;
}

static inline __attribute__((always_inline)) void do_take_ticket(struct mapping *m)
{
	m->ticket = mapped_last();
}

SHIELDED_FUNCTION(static, take_ticket, (struct mapping *m), (m))

void mapping_begin(struct mapping *m, const struct registers *caller, uint64_t length, uint16_t flags)
{
	*m = (struct mapping){.caller = caller, .event = {.length = length, .flags = flags}};
	uint32_t generation = __atomic_load_n(&cgoheap_generation, __ATOMIC_ACQUIRE);
	if (generation == 0 || gate_unbuilt(generation) || !region_here())
		return;
	m->blocks = kind_of(caller->pc) == MAPPED_PROGRAM && signals_block(&m->blocked);
	m->generation = generation;
	take_ticket(m);
}

void mapping_end(const struct mapping *m)
{
	if (m->blocks)
		signals_restore(m->blocked);
}

static void lose(struct mapping *m)
{
	if (region_here() && __atomic_load_n(&cgoheap_generation, __ATOMIC_ACQUIRE) == m->generation) {
		if (!m->lost)
			count(COUNT_LOST_MAPPED);
		mapped_lose(&m->event);
	}
	m->lost = true;
}

// Enters the gate. An event that finds it full is lost. So is one that follows a lost one of its call.
static bool enter(struct mapping *m, struct pass *pass)
{
	if (m->generation == 0)
		return false;
	if (!m->lost && gate_enter(pass, m->generation))
		return true;
	lose(m);
	return false;
}

struct reported {
	struct mapping *m;
	uint64_t number;
};

static void run_report(void *reported)
{
	struct reported *r = reported;
	r->number = mapped_report(&r->m->event);
}

// Reports the event on the slot's own stack. Returns its number, or 0.
static uint64_t report_in(struct mapping *m, uint32_t slot)
{
	struct reported r = {m, 0};
	struct room *room = &scratch_of(slot)->room;
	if (m->blocks && room_fits())
		room_run_blocked(room, run_report, &r);
	else if (m->blocks || !room_run(room, run_report, &r))
		lose(m);
	return r.number;
}

static inline __attribute__((always_inline)) void do_put(struct mapping *m, uint64_t *number)
{
	struct pass pass;
	if (enter(m, &pass)) {
		*number = report_in(m, pass.slot);
		gate_leave(pass);
	}
}

SHIELDED_FUNCTION(static, put, (struct mapping *m, uint64_t *number), (m, number))

static uint64_t report(struct mapping *m, enum mapped_what what)
{
	int error = errno;
	uint64_t number = 0;
	m->event.what = what;
	put(m, &number);
	errno = error;
	return number;
}

static void announce(struct mapping *m, uintptr_t start, uintptr_t limit, enum mapped_what what)
{
	m->event.start = start;
	m->event.limit = limit;
	m->ticket = report(m, what);
	m->announced = true;
	m->event.ticket = m->ticket;
	m->lost = m->ticket == 0;
}

void mapping_announce(struct mapping *m, uintptr_t start, uintptr_t limit)
{
	if (by_go(m))
		page_set_remove(&cgoheap_go_pages, start, limit);
	announce(m, start, limit, MAPPED_LEAVES);
}

void mapping_claim(struct mapping *m, uintptr_t start, uintptr_t limit)
{
	announce(m, start, limit, MAPPED_CLAIMS);
}

void mapping_announce_segment(struct mapping *m, uintptr_t base)
{
	announce(m, base, 0, MAPPED_DETACHES);
}

// Only the program's calls have a stack: Go's run where no stack may be walked, and the allocator's are for blocks,
// which have stacks of their own.
static inline __attribute__((always_inline)) void do_put_made(struct mapping *m)
{
	struct pass pass;
	if (enter(m, &pass)) {
		if (m->event.kind == MAPPED_PROGRAM && (m->event.stack = record_stack(pass.slot, m->caller)) == 0)
			count(COUNT_LOST_MAPPED);
		report_in(m, pass.slot);
		gate_leave(pass);
	}
}

SHIELDED_FUNCTION(static, put_made, (struct mapping *m), (m))

static void report_made(struct mapping *m, enum mapped_what what)
{
	int error = errno;
	m->event.what = what;
	m->event.ticket = m->ticket;
	m->event.kind = kind_of(m->caller->pc);
	put_made(m);
	errno = error;
}

void mapping_made(struct mapping *m, uintptr_t start, uintptr_t limit)
{
	if (by_go(m))
		page_set_add(&cgoheap_go_pages, start, limit); // what has no room is only known while it is recorded
	else
		page_set_remove(&cgoheap_go_pages, start, limit);
	m->event.start = start;
	m->event.limit = limit;
	report_made(m, m->announced ? MAPPED_PLACED : MAPPED_MADE);
}

void mapping_moved(struct mapping *m, uintptr_t start, uintptr_t limit, enum mapped_what what)
{
	m->event.from = m->event.start;
	m->event.from_limit = m->event.limit;
	m->event.start = start;
	m->event.limit = limit;
	report_made(m, what);
}

void mapping_gone(struct mapping *m)
{
	if (m->announced)
		report(m, MAPPED_GONE);
}

void mapping_stays(struct mapping *m)
{
	if (m->announced)
		report(m, MAPPED_STAYS);
}
