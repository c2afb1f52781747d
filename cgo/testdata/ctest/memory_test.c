// Which words of a stack may be read.
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../bounds.h"
#include "../../headers.h"
#include "../../machine.h"
#include "../../memory.h"
#include "../../region.h"
#include "check.h"

#define PAGE 4096

static struct copy copy;

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
	memory_begin(&m, &cgoheap_thread, (uintptr_t)at + 4 * PAGE + 8, &copy);
	check(memory_load(&m, (uintptr_t)at + 4 * PAGE, &value) && !m.unfit);
	for (int i = 5; i < 8; i++)
		check(memory_load(&m, (uintptr_t)at + i * PAGE, &value) && m.unfit); // copied, and must be copied again
	check(munmap(at + 4 * PAGE, 4 * PAGE) == 0);
	memory_begin(&m, &cgoheap_thread, (uintptr_t)at + 3 * PAGE + 8, &copy);
	check(memory_load(&m, (uintptr_t)at + 3 * PAGE, &value));
	check(!memory_load(&m, (uintptr_t)at + 4 * PAGE, &value));
}

static __attribute__((noinline)) void own_stack(void)
{
	volatile uintptr_t here = 12345;
	struct memory m;
	uintptr_t value, sp = (uintptr_t)&here & ~7UL;
	memory_begin(&m, &cgoheap_thread, sp, &copy);
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

static void run_with(pthread_attr_t *attributes, void *(*body)(void *), void *argument)
{
	pthread_t t;
	check(pthread_create(&t, attributes, body, argument) == 0 && pthread_join(t, NULL) == 0);
}

static void stacks(void)
{
	thread(NULL);
	run_with(NULL, thread, NULL);
}

#define LARGEST_GUARD (16 * PAGE)

// pthread_getattr_np leaves out the guard pages. libc may use a stack again, with the guard that it has.
static void *ask_libc(void *none)
{
	struct bounds b;
	pthread_attr_t attributes;
	void *lowest;
	size_t size;
	check(pthread_getattr_np(pthread_self(), &attributes) == 0 && bounds_now(&b));
	check(pthread_attr_getstack(&attributes, &lowest, &size) == 0);
	pthread_attr_destroy(&attributes);
	check(b.hi == (uintptr_t)lowest + size && b.lo <= (uintptr_t)lowest && (uintptr_t)lowest - b.lo <= LARGEST_GUARD);
	check(thread_pointer() >= b.lo && (uintptr_t)__builtin_frame_address(0) > b.lo && (uintptr_t)__builtin_frame_address(0) < b.hi);
	return none;
}

static void bounds(void)
{
	for (size_t size = 2 << 20; size <= 64 << 20; size *= 2)
		for (size_t guard = 0; guard <= LARGEST_GUARD; guard = guard == 0 ? PAGE : guard * 4) {
			pthread_attr_t attributes;
			check(pthread_attr_init(&attributes) == 0 && pthread_attr_setstacksize(&attributes, size) == 0);
			check(pthread_attr_setguardsize(&attributes, guard) == 0);
			run_with(&attributes, ask_libc, NULL);
			char *at = map(size / PAGE + 1);
			check(pthread_attr_setstack(&attributes, at + 64, size) == 0);
			run_with(&attributes, ask_libc, NULL);
			pthread_attr_destroy(&attributes);
			check(munmap(at, size + PAGE) == 0);
		}
}

enum { OWN = 320 * PAGE }; // ThreadSanitizer wants a megabyte

// Four pages, of which the last may be a guard page, and a stack above them.
static char *map_stack(int protection)
{
	char *at = map(4 + OWN / PAGE);
	check(mprotect(at + 3 * PAGE, PAGE, protection) == 0);
	return at;
}

// Below a thread's stack lies other memory.
static void *below_stack(void *stack)
{
	struct memory m;
	uintptr_t bottom = (uintptr_t)stack;
	for (uintptr_t sp = thread_pointer(); sp > bottom + 32 * PAGE; sp -= 32 * PAGE) // each near what is known
		memory_begin(&m, &cgoheap_thread, sp, &copy);
	memory_begin(&m, &cgoheap_thread, bottom + 8, &copy);
	check(m.own);
	memory_begin(&m, &cgoheap_thread, bottom - 2 * PAGE + 8, &copy);
	check(!m.own && m.hi == bottom - PAGE);
	return NULL;
}

static void run_above(int protection, size_t below)
{
	char *at = map_stack(protection);
	pthread_attr_t attributes;
	check(pthread_attr_init(&attributes) == 0);
	check(pthread_attr_setstack(&attributes, at + 4 * PAGE - below, OWN + below) == 0);
	run_with(&attributes, below_stack, at + 4 * PAGE);
	pthread_attr_destroy(&attributes);
	check(munmap(at, 4 * PAGE + OWN) == 0);
}

static void guarded(void)
{
	run_above(PROT_NONE, 4 * PAGE); // the guard is inside the stack that libc knows
	run_above(PROT_NONE, 0);
}

static void unguarded(void)
{
	run_above(PROT_READ | PROT_WRITE, 0);
}

static void goroutine(void)
{
	struct memory m;
	static uintptr_t words[8] = {1, 2, 3, 4, 5, 6, 7, 8};
	uintptr_t value;
	memory_begin(&m, &cgoheap_thread, (uintptr_t)map(1) + 8, &copy);
	m.go_lo = (uintptr_t)&words[2];
	m.go_hi = (uintptr_t)&words[4];
	check(memory_load(&m, (uintptr_t)&words[3], &value) && value == 4 && !m.unfit);
	check(memory_load(&m, (uintptr_t)&words[4], &value) && value == 5 && m.unfit); // beyond it, by a copy
}

// Both ways copy all bytes if they are all mapped, and none if one of them is not.
static void copies(void)
{
	char *at = map(4), got[3 * PAGE];
	struct memory m;
	check(munmap(at + 3 * PAGE, PAGE) == 0);
	for (int i = 0; i < 3 * PAGE; i++)
		at[i] = (char)(i * 7 + i / PAGE);
	for (int way = 1; way <= 2; way++) {
		memory_begin(&m, &cgoheap_thread, (uintptr_t)at + 8, &copy);
		if (way == 2) // the pipe, as where a filter is
			check(pipe2(copy.pipe, O_CLOEXEC | O_NONBLOCK) == 0);
		copy.way = way;
		for (int from = 0; from < 2 * PAGE; from += 501)
			for (int size = 0; size <= PAGE; size += 37) {
				check(memory_copy(&m, (uintptr_t)at + from, got, size));
				check(memcmp(got, at + from, size) == 0);
			}
		check(!memory_copy(&m, (uintptr_t)at + 3 * PAGE - 1, got, 2) && !memory_copy(&m, (uintptr_t)at + 3 * PAGE, got, 1));
		check(!memory_copy(&m, 0, got, 1) && !memory_copy(&m, UINTPTR_MAX - 8, got, 8));
		check(memory_copy(&m, (uintptr_t)at, got, 3 * PAGE) && memcmp(got, at, 3 * PAGE) == 0); // and goes on
		memory_end(&m);
		check(way != 2 || (fcntl(copy.pipe[0], F_GETFD) == -1 && fcntl(copy.pipe[1], F_GETFD) == -1));
	}
	check(munmap(at, 3 * PAGE) == 0);
}

// process_vm_readv is used if it works and no filter might kill for it; otherwise a pipe.
static void way_of_copying(void)
{
	char from = 7, to = 0;
	struct iovec here = {&to, 1}, there = {&from, 1};
	bool reads = process_vm_readv(getpid(), &here, 1, &there, 1, 0) == 1, filtered = prctl(PR_GET_SECCOMP) > 0;
	struct memory m;
	memory_begin(&m, &cgoheap_thread, (uintptr_t)&m & ~7UL, &copy);
	to = 0;
	check(memory_copy(&m, (uintptr_t)&from, &to, 1) && to == 7 && copy.way == (reads && !filtered ? 1 : 2));
	memory_end(&m);
}

// With a filter that allows all, a walk copies by the pipe.
static bool filter_calls(void)
{
	struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	struct sock_fprog program = {1, &allow};
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static bool copies_above_standard_files(void)
{
	struct memory m;
	char from = 7, to = 0;
	for (int fd = 0; fd < 3; fd++)
		close(fd);
	memory_begin(&m, &cgoheap_thread, (uintptr_t)&m & ~7UL, &copy);
	bool copied = memory_copy(&m, (uintptr_t)&from, &to, 1) && to == 7 && copy.way == 2;
	bool above = copy.pipe[0] > 2 && copy.pipe[1] > 2 && write(1, "x", 1) == -1 && write(2, "x", 1) == -1;
	memory_leave(&copy);
	return copied && above && fcntl(copy.pipe[0], F_GETFD) == -1 && fcntl(copy.pipe[1], F_GETFD) == -1;
}

static void standard_files_are_closed(void)
{
	int status;
	pid_t child = fork();
	if (child == 0)
		_exit(!filter_calls() || copies_above_standard_files() ? 0 : 1); // emulators have no filters
	check(child > 0 && waitpid(child, &status, 0) == child && status == 0);
}

// A stack that begins at the top of its mapping: nothing is mapped beyond.
static void at_the_edge(void)
{
	char *at = map(2);
	struct memory m;
	memory_begin(&m, &cgoheap_thread, (uintptr_t)at + PAGE, &copy);
	check(m.lo == (uintptr_t)at && m.hi == (uintptr_t)at + PAGE);
	check(munmap(at, 2 * PAGE) == 0);
}

static struct memory in_handler, beside;

static uintptr_t below_signal_stack;

static void handler(int number)
{
	volatile char room[3 * PAGE];
	uintptr_t value, here = (uintptr_t)room;
	room[0] = (char)number;
	here = (here + 7) & ~7UL;
	memory_begin(&in_handler, &cgoheap_thread, here, &copy);
	check(memory_load(&in_handler, here, &value) && memory_load(&in_handler, (here & ~(PAGE - 1UL)) + PAGE, &value));
	memory_begin(&beside, &cgoheap_thread, below_signal_stack + 8, &copy);
}

// It is read up to the end that the kernel knows, but not at all if the stack pointer lies elsewhere, below it.
static void signal_stack(void)
{
	char *at = map(16);
	stack_t stack = {.ss_sp = at + PAGE, .ss_size = 15 * PAGE - 64};
	struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
	below_signal_stack = (uintptr_t)at;
	check(sigaltstack(&stack, NULL) == 0 && sigaction(SIGUSR1, &action, NULL) == 0 && raise(SIGUSR1) == 0);
	check(in_handler.hi == (uintptr_t)at + 16 * PAGE - 64 && !in_handler.unfit && !in_handler.own);
	check(beside.hi == (uintptr_t)at + PAGE && !beside.own);
	stack.ss_flags = SS_DISABLE;
	check(sigaltstack(&stack, NULL) == 0);
}

#ifndef VFORK_FORKS
// A vforked child has its parent's variables, and the kernel takes it for a main thread.
static void *first_in_a_vforked_child(void *none)
{
	pid_t child = vfork();
	if (child == 0) {
		static struct memory m;
		memory_begin(&m, &cgoheap_thread, (uintptr_t)__builtin_frame_address(0), &copy);
		_exit(m.own);
	}
	int status;
	check(child > 0 && waitpid(child, &status, 0) == child && status == 0 && cgoheap_thread.top == 0);
	own_stack();
	check(cgoheap_thread.top > (uintptr_t)&status && thread_is_bounded(&cgoheap_thread));
	return none;
}

static void vforked(void)
{
	check(region_map(NULL, 8 << 20) == 0);
	cgoheap_region->pid = (uint32_t)getpid();
	run_with(NULL, first_in_a_vforked_child, NULL);
}
#endif

// The loader lists files whose headers may be gone, and may be more than are copied at once.
static void program_headers(void)
{
	struct headers r = {.memory = {.copy = &copy}};
	ElfW(Phdr) *list = map(2);
	for (int i = 0; i < 2 * PAGE / (int)sizeof *list; i++)
		list[i].p_vaddr = (ElfW(Addr))i;
	check(mprotect((char *)list + PAGE, PAGE, PROT_NONE) == 0);
	int readable = PAGE / (int)sizeof *list;
	struct dl_phdr_info many = {.dlpi_phdr = list, .dlpi_phnum = 40}, few = {.dlpi_phdr = list + 20, .dlpi_phnum = 3};
	struct dl_phdr_info cut = {.dlpi_phdr = list + readable - 3, .dlpi_phnum = 10};
	for (int i = 0; i < 40; i++)
		check(header_read(&r, &many, i)->p_vaddr == (ElfW(Addr))i);
	check(header_read(&r, &many, 40) == NULL);
	for (int i = 0; i < 3; i++)
		check(header_read(&r, &few, i)->p_vaddr == (ElfW(Addr))i + 20);
	check(header_read(&r, &few, 3) == NULL);
	for (int i = 0; i < 3; i++)
		check(header_read(&r, &cut, i)->p_vaddr == (ElfW(Addr))(readable - 3 + i));
	check(header_read(&r, &cut, 3) == NULL);
	check(header_read(&r, &few, 0)->p_vaddr == 20 && munmap(list, 2 * PAGE) == 0);
	check(header_read(&r, &many, 0) == NULL && header_read(&r, &few, 0) == NULL);
	memory_end(&r.memory);
}

int main(void)
{
	bounds_prepare();
	run("a page that is mapped can be read, others cannot", pages);
	run("only a thread's own stack is known from walk to walk", stacks);
	run("bytes are copied by each way, where they can be read", copies);
	run("bytes are copied by a call for that, unless it is filtered", way_of_copying);
	run("where 0 to 2 are closed, nothing of the pipe is there", standard_files_are_closed);
	run("above the stack pointer, nothing beyond its page is trusted", at_the_edge);
	run("the stack of a signal handler is known to its end", signal_stack);
	run("the bounds of a thread's stack are those that libc has", bounds);
	run("what lies below a stack without a guard page is not the thread's stack", unguarded);
	run("what lies below a guard page is not the thread's stack", guarded);
	run("a goroutine's stack is read within its bounds", goroutine);
	run("headers of files are read, as far as they are there", program_headers);
#ifndef VFORK_FORKS
	run("a vforked child finds no stack for its parent", vforked);
#endif
}
