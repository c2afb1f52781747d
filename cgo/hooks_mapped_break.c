//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

// brk and sbrk: see hooks_mapped.c.

#define _GNU_SOURCE
#include "hooks_mapped.h"

#if defined(CGOHEAP_WRAP) || !REAL_SANITIZED

// Whether the real functions are known. They are libc's in any case, because libc knows where the heap ends.
static bool break_ready(void)
{
	return ready() || real_find_break();
}

// Before this object is relocated, when libc cannot be found, and where libc has no heap, as in static executables with musl.
static void *refuse(void)
{
	errno = ENOMEM;
	return (void *)-1;
}

// The end of the heap is libc's: it is in a variable of libc, so nobody else can move it.
static uintptr_t heap_end(void)
{
	return (uintptr_t)CALL(sbrk)(0);
}

// Before the end of the heap moves down.
static void announce_lower(struct mapping *m, uintptr_t old, uintptr_t limit)
{
	if (whole(limit) < whole(old))
		mapping_announce(m, whole(limit), whole(old));
}

// After it has moved.
static void moved_end(struct mapping *m, uintptr_t old, uintptr_t limit)
{
	if (whole(old) < whole(limit)) {
		__atomic_store_n(&cgoheap_end_moved, true, __ATOMIC_RELAXED);
		mapping_made(m, whole(old), whole(limit));
	} else {
		mapping_gone(m);
	}
}

static SLOW int slow_brk(void *limit)
{
	struct registers caller = CALLER_REGISTERS();
	if (!break_ready())
		return refuse() == NULL ? 0 : -1;
	uintptr_t old = heap_end(), end = (uintptr_t)limit;
	struct mapping m;
	mapping_begin(&m, &caller, end - old, MAPPED_BREAK);
	announce_lower(&m, old, end);
	int result = CALL(brk)(limit);
	if (result == 0 && heap_end() == end) // glibc's succeeds with addresses below the heap, and moves nothing
		moved_end(&m, old, end);
	else
		mapping_stays(&m);
	mapping_end(&m);
	return result;
}

int hook_brk(void *limit)
{
	END_CALL(false, CALL(brk)(limit), slow_brk(limit));
}
OWN_CALL(own_brk, brk)

static SLOW void *slow_sbrk(intptr_t more)
{
	struct registers caller = CALLER_REGISTERS();
	if (!break_ready())
		return more == 0 ? (void *)system_call(SYS_brk, 0, 0, 0, 0) : refuse();
	struct mapping m;
	mapping_begin(&m, &caller, (uintptr_t)more, MAPPED_BREAK);
	if (more < 0)
		announce_lower(&m, heap_end(), heap_end() + (uintptr_t)more);
	void *old = CALL(sbrk)(more);
	if (old != (void *)-1)
		moved_end(&m, (uintptr_t)old, (uintptr_t)old + (uintptr_t)more);
	else
		mapping_stays(&m);
	mapping_end(&m);
	return old;
}

void *hook_sbrk(intptr_t more)
{
	END_CALL(false, CALL(sbrk)(more), slow_sbrk(more));
}
OWN_CALL(own_sbrk, sbrk)

#endif
