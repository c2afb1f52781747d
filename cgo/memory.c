//go:build linux && amd64 && cgo

// The bounds of a C stack cannot be asked for inside malloc, and a stack may be a signal's or a fiber's anyway. So the
// pages of a stack are tried one by one, by the kernel, as a walk first needs them, and the stretch around the stack
// pointer that was found readable is kept with the thread: after a thread's first samples no walk asks again.

#include "memory.h"

#include <errno.h>
#include <sys/syscall.h>

#define PAGE 4096
#define NEAR (64 * PAGE)

static long raw_syscall4(long number, long a, long b, long c, long d)
{
	register long r10 __asm__("r10") = d;
	__asm__ volatile("syscall" : "+a"(number) : "D"(a), "S"(b), "d"(c), "r"(r10) : "rcx", "r11", "memory");
	return number;
}

bool page_readable(uintptr_t address)
{
	// With an invalid first argument rt_sigprocmask changes nothing, but reads its second first: EFAULT or EINVAL.
	return raw_syscall4(SYS_rt_sigprocmask, ~0L, (long)(address & ~7ULL), 0, 8) != -EFAULT;
}

static bool readable_between(uintptr_t page, uintptr_t limit)
{
	for (; page < limit; page += PAGE)
		if (!page_readable(page))
			return false;
	return true;
}

void memory_begin(struct memory *m, struct thread *t, uintptr_t sp)
{
	uintptr_t page = sp & ~(uintptr_t)(PAGE - 1);
	*m = (struct memory){.thread = t};
	if (page >= t->lo && page < t->hi)
		return;
	if (page < t->lo && t->lo - page <= NEAR && readable_between(page, t->lo)) {
		t->lo = page; // deeper in the same stack
		return;
	}
	t->lo = page; // another stack: what was known of the last one may be void
	t->hi = page + PAGE;
}

static bool learn(struct memory *m, uintptr_t page)
{
	if (!page_readable(page))
		return false;
	if (page == m->thread->hi)
		m->thread->hi += PAGE;
	else
		m->page = page;
	return true;
}

bool memory_load(struct memory *m, uintptr_t address, uintptr_t *value)
{
	uintptr_t page = address & ~(uintptr_t)(PAGE - 1);
	if (address % 8 != 0)
		return false;
	bool known = (address >= m->thread->lo && address < m->thread->hi) || (page != 0 && page == m->page);
	// The goroutine's bounds are 8-aligned, so a word that begins inside ends inside.
	if (!known && !(address >= m->go_lo && address < m->go_hi) && !learn(m, page))
		return false;
	*value = *(const uintptr_t *)address;
	return true;
}
