// Which words of a stack may be read.
#include <pthread.h>
#include <sys/mman.h>

#include "../../memory.h"
#include "check.h"

#define PAGE 4096

static void *map(size_t pages)
{
	void *at = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	check(at != MAP_FAILED);
	return at;
}

static void pages(void)
{
	char *at = map(3);
	check(page_readable((uintptr_t)at) && page_readable((uintptr_t)at + PAGE - 1));
	check(mprotect(at + PAGE, PAGE, PROT_NONE) == 0 && !page_readable((uintptr_t)at + PAGE));
	check(munmap(at + PAGE, PAGE) == 0 && !page_readable((uintptr_t)at + PAGE));
	check(!page_readable(0) && !page_readable(8) && !page_readable(UINTPTR_MAX - 64));
}

// A fiber's stack is unmapped, and the next fiber's lies just below: what was readable then must be tried again.
static void unmapped_stack(void)
{
	struct memory m;
	uintptr_t value;
	char *at = map(8);
	memory_begin(&m, &cgoheap_thread, (uintptr_t)at + 4 * PAGE);
	check(memory_load(&m, (uintptr_t)at + 4 * PAGE, &value) && !m.unfit);
	for (int i = 5; i < 8; i++)
		check(memory_load(&m, (uintptr_t)at + i * PAGE, &value) && m.unfit); // the kernel was asked, and must be again
	check(munmap(at + 4 * PAGE, 4 * PAGE) == 0);
	memory_begin(&m, &cgoheap_thread, (uintptr_t)at + 3 * PAGE);
	check(memory_load(&m, (uintptr_t)at + 3 * PAGE, &value));
	check(!memory_load(&m, (uintptr_t)at + 4 * PAGE, &value));
}

static __attribute__((noinline)) void own_stack(void)
{
	volatile uintptr_t here = 12345;
	struct memory m;
	uintptr_t value, sp = (uintptr_t)&here & ~7UL;
	memory_begin(&m, &cgoheap_thread, sp);
	check(m.lo <= sp && m.hi > sp);
#ifndef __SANITIZE_THREAD__ // whose own thread-local data, above the stack, is larger than what is looked at
	check(m.hi == cgoheap_thread.top + PAGE);
#endif
	check(memory_load(&m, (uintptr_t)&here, &value) && value == 12345 && !m.unfit);
	check(!memory_load(&m, (uintptr_t)&here + 1, &value)); // not aligned
	check(!memory_load(&m, 8, &value));
}

static void *thread(void *none)
{
	own_stack();
	unmapped_stack();
	own_stack();
	return none;
}

static void stacks(void)
{
	pthread_t t;
	thread(NULL);
	check(pthread_create(&t, NULL, thread, NULL) == 0 && pthread_join(t, NULL) == 0);
}

static void goroutine(void)
{
	struct memory m;
	uintptr_t value, words[8] = {1, 2, 3, 4, 5, 6, 7, 8};
	memory_begin(&m, &cgoheap_thread, (uintptr_t)map(1));
	m.go_lo = (uintptr_t)&words[2];
	m.go_hi = (uintptr_t)&words[4];
	check(memory_load(&m, (uintptr_t)&words[3], &value) && value == 4 && !m.unfit);
	check(memory_load(&m, (uintptr_t)&words[4], &value) && value == 5 && m.unfit); // beyond it, by a page of its own
}

int main(void)
{
	run("a page that is mapped can be read, others cannot", pages);
	run("only a thread's own stack is known from walk to walk", stacks);
	run("a goroutine's stack is read within its bounds", goroutine);
}
