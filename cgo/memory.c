//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

// The bounds of a C stack cannot be asked for inside malloc, and a stack may be a signal's or a fiber's anyway. So the
// pages of a stack are tried one by one, by the kernel, as a walk first needs them.
//
// What was found is kept from walk to walk only for the stack that the thread was born with, which lasts as long as the
// thread: libc puts the thread control block at its top, and the kernel has put some random bytes at the top of the main
// thread's. Any other stack may be unmapped before the next walk, and is tried anew each time.

#include "memory.h"

#include <errno.h>
#include <sys/auxv.h>
#include <sys/syscall.h>

#include "machine.h"

#define PAGE 4096
#define NEAR (64 * PAGE)

bool page_readable(uintptr_t address)
{
	// With an invalid first argument rt_sigprocmask changes nothing, but reads its second first: EFAULT or EINVAL. Another
	// answer comes from a sandbox, and says nothing about the page.
	return system_call(SYS_rt_sigprocmask, ~0L, (long)(address & ~7ULL), 0, 8) == -EINVAL;
}

static uintptr_t page_of(uintptr_t address)
{
	return address & ~(uintptr_t)(PAGE - 1);
}

// The last page of the stack that the calling thread was born with.
static uintptr_t top_of_stack(void)
{
	if (system_call(SYS_gettid, 0, 0, 0, 0) == system_call(SYS_getpid, 0, 0, 0, 0))
		return page_of(getauxval(AT_RANDOM));
	return page_of(thread_pointer());
}

static bool readable_between(uintptr_t page, uintptr_t limit)
{
	for (; page < limit; page += PAGE)
		if (!page_readable(page))
			return false;
	return true;
}

// Whether page lies in the thread's own stack; the pages above it are then known to be readable.
static bool on_own_stack(struct thread *t, uintptr_t page)
{
	if (t->top == 0)
		t->lo = t->top = top_of_stack();
	if (page > t->top)
		return false;
	if (page >= t->lo)
		return true;
	if (t->lo - page > NEAR || !readable_between(page, t->lo))
		return false;
	t->lo = page;
	return true;
}

void memory_begin(struct memory *m, struct thread *t, uintptr_t sp)
{
	uintptr_t page = page_of(sp);
	*m = (struct memory){.thread = t, .lo = page, .hi = page + PAGE};
	m->own = on_own_stack(t, page);
	if (m->own)
		m->hi = t->top + PAGE;
}

static bool learn(struct memory *m, uintptr_t page)
{
	if (!page_readable(page))
		return false;
	if (page == m->hi)
		m->hi += PAGE;
	else
		m->page = page;
	m->unfit = true;
	return true;
}

bool memory_load(struct memory *m, uintptr_t address, uintptr_t *value)
{
	uintptr_t page = page_of(address);
	if (address % 8 != 0)
		return false;
	bool known = (address >= m->lo && address < m->hi) || (page != 0 && page == m->page);
	// The goroutine's bounds are 8-aligned, so a word that begins inside ends inside.
	if (!known && !(address >= m->go_lo && address < m->go_hi) && !learn(m, page))
		return false;
	*value = *(const uintptr_t *)address;
	memory_note(m, address, *value);
	return true;
}
