//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

// Words are loaded only from memory that cannot be unmapped while the thread runs here:
//
//	its own stack           from the page of the stack pointer to the top. libc has the bounds (bounds.c), but not of the
//	                        main thread's stack: at the top of that, the kernel has put some random bytes, and it lets no
//	                        other memory come near the bottom.
//	its signal stack        while it runs on that. The kernel knows the end.
//	the stack pointer's page  of any other stack, such as a fiber's. The end of such a stack is not known.
//	the goroutine's stack   which Go never unmaps. walk_go.c verifies the g that has the bounds.
//
// All other words may lie in memory that another thread unmaps between any check and the load. The kernel copies those,
// and returns an error if it cannot: by process_vm_readv of this thread, or, if a seccomp filter might kill for that
// call, by a write to a pipe and a read from it.
//
// Only the bounds of the thread's own stack are kept from walk to walk, because that stack lasts as long as the thread.

#include "memory.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "bounds.h"
#include "machine.h"
#include "region.h"

#define PAGE 4096
#define NEAR (64 * PAGE)

enum { WAY_READV = 1, WAY_PIPE, WAY_NONE };

bool page_readable(uintptr_t address)
{
	// With an invalid first argument rt_sigprocmask changes nothing, but reads its second first: EFAULT or EINVAL.
	// Another error comes from a sandbox, and proves nothing about the page.
	return system_call(SYS_rt_sigprocmask, ~0L, (long)(address & ~7ULL), 0, 8) == -EINVAL;
}

static uintptr_t page_of(uintptr_t address)
{
	return address & ~(uintptr_t)(PAGE - 1);
}

// Finds the stack that the calling thread was born with. If libc's bounds are unknown, no page counts as part of it. False in a
// vforked child: t is its parent's, which has another stack, or more of this one.
static bool find_stack(struct thread *t)
{
	struct bounds b = {0, 0};
	long process = system_call(SYS_getpid, 0, 0, 0, 0);
	if (cgoheap_region != NULL && process != (long)cgoheap_region->pid)
		return false;
	if (system_call(SYS_gettid, 0, 0, 0, 0) == process)
		b.hi = getauxval(AT_RANDOM) + 1;
	else if (!bounds_now(&b))
		b.lo = b.hi = PAGE + 1;
	t->bottom = b.lo;
	t->lo = t->top = page_of(b.hi - 1);
	return true;
}

static bool readable_between(uintptr_t page, uintptr_t limit)
{
	for (; page < limit; page += PAGE)
		if (!page_readable(page))
			return false;
	return true;
}

// Whether page lies in the thread's own stack: all pages from it to the top are readable, so no guard page is among them.
static bool on_own_stack(struct thread *t, uintptr_t page)
{
	if (t->top == 0 && !find_stack(t))
		return false;
	if (page > t->top || page < t->bottom)
		return false;
	if (page >= t->lo)
		return true;
	if (t->lo - page > NEAR || !readable_between(page, t->lo))
		return false;
	t->lo = page;
	return true;
}

// Whether a hook that is called at sp would come to the guard page of the thread's own stack. The kernel lets the main thread's grow.
static bool near_guard(struct thread *t, uintptr_t sp)
{
	uintptr_t page = page_of(sp - HOOK_STACK);
	if (page >= t->lo || t->bottom == 0)
		return false;
	if (!readable_between(page, t->lo))
		return true;
	t->lo = page;
	return false;
}

static void begin_on_own(struct memory *m, uintptr_t sp)
{
	m->hi = m->thread->top + PAGE;
	m->narrow = m->narrow || near_guard(m->thread, sp);
}

// If the thread runs on its signal stack at sp, the kernel knows where that ends.
static void begin_elsewhere(struct memory *m, uintptr_t sp)
{
	stack_t now;
	if (system_call(SYS_sigaltstack, 0, (long)&now, 0, 0) != 0 || !(now.ss_flags & SS_ONSTACK))
		return;
	uintptr_t start = (uintptr_t)now.ss_sp, end = (start + now.ss_size) & ~7UL;
	if (sp - start > now.ss_size)
		return;
	m->narrow = m->narrow || sp - start < HOOK_STACK;
	if (end > m->hi)
		m->hi = end;
}

void memory_begin(struct memory *m, struct thread *t, uintptr_t sp, struct copy *copy)
{
	uintptr_t page = page_of(sp - 1); // sp itself may be the end of a mapping
	*m = (struct memory){.thread = t, .lo = page, .hi = page + PAGE, .copy = copy};
	copy->way = 0;
	copy->at = copy->size = 0;
	m->own = on_own_stack(t, page);
	m->narrow = sp - t->bottom < HOOK_STACK && t->bottom != 0;
	if (m->own)
		begin_on_own(m, sp);
	else
		begin_elsewhere(m, sp);
}

static void close_pipe(struct copy *c)
{
	system_call(SYS_close, c->pipe[0], 0, 0, 0);
	system_call(SYS_close, c->pipe[1], 0, 0, 0);
}

void memory_leave(struct copy *c)
{
	if (c->way == WAY_PIPE)
		close_pipe(c);
	c->way = 0;
}

void memory_end(struct memory *m)
{
	memory_leave(m->copy);
}

// Without a filter, a system call that this kernel does not have fails.
bool calls_may_be_filtered(void)
{
	long mode = system_call(SYS_prctl, PR_GET_SECCOMP, 0, 0, 0);
	return mode != 0 && mode != -EINVAL; // the kernel has no filters
}

static bool move_up(int *fd)
{
	int low = *fd;
	if (low > STDERR_FILENO)
		return true;
	*fd = (int)system_call(SYS_fcntl, low, F_DUPFD_CLOEXEC, STDERR_FILENO + 1, 0);
	system_call(SYS_close, low, 0, 0, 0);
	return *fd >= 0;
}

// A program that has closed 0, 1 or 2 still writes its messages there: what came before the pipe was moved is not for us.
static bool leave_standard_files(struct copy *c)
{
	bool low = c->pipe[0] <= STDERR_FILENO || c->pipe[1] <= STDERR_FILENO;
	if (!move_up(&c->pipe[0]) | !move_up(&c->pipe[1])) {
		close_pipe(c);
		return false;
	}
	c->size = 0; // of words
	while (low && system_call(SYS_read, c->pipe[0], (long)c->words, sizeof c->words, 0) > 0)
		;
	return true;
}

static void use_pipe(struct copy *c)
{
	c->way = system_call(SYS_pipe2, (long)c->pipe, O_CLOEXEC | O_NONBLOCK, 0, 0) == 0 && leave_standard_files(c) ? WAY_PIPE : WAY_NONE;
}

static long read_by_kernel(const struct copy *c, uintptr_t from, void *to, size_t size)
{
	struct iovec here = {to, size}, there = {(void *)from, size};
	return system_call6(SYS_process_vm_readv, c->self, (long)&here, 1, (long)&there, 1, 0);
}

// The bytes that half a write left in the pipe would be read as the next copy's.
static bool read_by_pipe(struct copy *c, uintptr_t from, void *to, size_t size)
{
	long written = system_call(SYS_write, c->pipe[1], (long)from, (long)size, 0);
	if (written == (long)size)
		return system_call(SYS_read, c->pipe[0], (long)to, (long)size, 0) == (long)size;
	if (written > 0) {
		close_pipe(c);
		c->way = WAY_NONE;
	}
	return false;
}

// Copies inside one page, which can be read as a whole or not at all.
static bool copy_part(struct copy *c, uintptr_t from, void *to, size_t size)
{
	if (c->way == 0) {
		c->way = WAY_READV;
		c->self = system_call(SYS_gettid, 0, 0, 0, 0); // a main thread that has ended has no memory
		if (calls_may_be_filtered())
			use_pipe(c);
	}
	if (c->way == WAY_READV) {
		long copied = read_by_kernel(c, from, to, size);
		if (copied == (long)size || copied == -EFAULT)
			return copied == (long)size;
		use_pipe(c); // this kernel does not have the call, or refuses it
	}
	return c->way == WAY_PIPE && read_by_pipe(c, from, to, size);
}

bool memory_copy(struct memory *m, uintptr_t from, void *to, size_t size)
{
	while (size > 0) {
		size_t part = PAGE - from % PAGE;
		if (part > size)
			part = size;
		if (m->copy == NULL || !copy_part(m->copy, from, to, part))
			return false;
		from += part;
		to = (char *)to + part;
		size -= part;
	}
	return true;
}

bool memory_load_copy(struct memory *m, uintptr_t address, uintptr_t *value)
{
	struct copy *c = m->copy;
	if (address % 8 != 0 || c == NULL)
		return false;
	if (address - c->at >= c->size) {
		size_t size = PAGE - address % PAGE;
		if (size > MEMORY_COPY_BYTES)
			size = MEMORY_COPY_BYTES;
		c->size = 0;
		if (!memory_copy(m, address, c->words, size))
			return false;
		c->at = address;
		c->size = size;
	}
	*value = c->words[(address - c->at) / 8];
	return true;
}

// Whether the word stays mapped while the thread runs here. Of the thread's own stack, only the part above its stack
// pointer does, and that pointer is unknown if the walk began on another stack.
static bool stays_mapped(const struct memory *m, uintptr_t address)
{
	if (address >= m->lo && address < m->hi)
		return true;
	// These bounds are 8-aligned, so a word that begins inside ends inside.
	return address >= m->go_lo && address < m->go_hi;
}

bool memory_load(struct memory *m, uintptr_t address, uintptr_t *value)
{
	if (address % 8 != 0)
		return false;
	if (!stays_mapped(m, address)) {
		m->unfit = true;
		return memory_load_copy(m, address, value);
	}
	*value = *(const uintptr_t *)address;
	memory_note(m, address, *value);
	return true;
}
