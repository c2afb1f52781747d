//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

// A hook or a signal handler must not call Go, so a thread waits until one of them asks, and then runs Go code. It waits on a
// futex, because a program could close a descriptor.
//
// It is a thread of Go's, with a goroutine locked to it (waker.go), and not one of C's. A thread that Go does not know borrows
// an M, a record of a thread, from a list that usually has one, and makes the next one only when it runs Go code. Before that
// it asks libc for the bounds of its stack, and then waits for a P. glibc's answer allocates. A P may be held by a thread of
// Go's that makes another thread, which allocates too, or the world may be stopped until that is done. So whoever waits for
// the M may wait for a lock of the allocator. A thread that forks holds all of these: in glibc, and in jemalloc and tcmalloc,
// by pthread_atfork. If it is a thread of C's and a signal comes, as SIGCHLD, Go's handler takes an M of that list: there is
// none, and it waits forever. To allocate in advance, or from memory of our own, does not help: there is still the P.
//
// A thread of Go's has its M. It takes none of the list, at no time; so the list is as it is without the profiler, and so is
// what waits for it. While the thread waits here it holds no lock and no P. What it runs then may wait, as any goroutine's
// code may, for a thread that forks; that thread waits for nothing that this one has. Neither a stopped thread nor the
// loader, which holds its locks while it runs constructors, changes that. All other threads that the profiler makes run C
// only. musl blocks signals for as long as fork holds locks.

#define _GNU_SOURCE
#include "waker.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "machine.h"
#include "region.h"

// From linux/futex.h, which musl's compilers do not find.
#define FUTEX_WAIT_PRIVATE 128
#define FUTEX_WAKE_PRIVATE 129

#define ENDING (1U << 31)
#define LOOK (1U << 30) // there is something to look at each second; no Go code is run for that

static uint32_t asked;

static void ask(uint32_t reason)
{
	// A wake can fail only if the kernel forbids futexes; then nobody waits.
	if ((__atomic_fetch_or(&asked, reason, __ATOMIC_ACQ_REL) & reason) == 0)
		system_call(SYS_futex, (long)&asked, FUTEX_WAKE_PRIVATE, 1, 0);
}

void waker_ask(enum wake reason)
{
	ask(reason);
}

static uint32_t looking; // the most urgent reason for a look since waker_rearm; 0 for none

void waker_look(enum wake reason)
{
	uint32_t before = __atomic_load_n(&looking, __ATOMIC_RELAXED);
	do {
		if (before >= reason)
			return;
	} while (!__atomic_compare_exchange_n(&looking, &before, reason, 1, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
	count(COUNT_WAKES);
	waker_ask(reason);
}

void waker_rearm(void)
{
	__atomic_store_n(&looking, 0, __ATOMIC_RELEASE);
}

static uint32_t (*looks[2])(void); // what waker_each_second was given

void waker_each_second(uint32_t (*look)(void))
{
	for (size_t i = 0; i < sizeof looks / sizeof *looks; i++) {
		uint32_t (*none)(void) = NULL;
		if (__atomic_compare_exchange_n(&looks[i], &none, look, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			ask(LOOK);
		if (__atomic_load_n(&looks[i], __ATOMIC_ACQUIRE) == look)
			return;
	}
}

static bool look_at_all(void)
{
	for (size_t i = 0; i < sizeof looks / sizeof *looks && looks[i] != NULL; i++) {
		uint32_t reasons = looks[i]();
		if (reasons != 0)
			ask(reasons);
	}
	return true;
}

static bool sleep_until_asked(void)
{
	const struct timespec second = {.tv_sec = 1};
	bool timed = __atomic_load_n(&looks[0], __ATOMIC_ACQUIRE) != NULL;
	long result = system_call(SYS_futex, (long)&asked, FUTEX_WAIT_PRIVATE, 0, timed ? (long)&second : 0);
	if (result == -ETIMEDOUT)
		return look_at_all();
	return result == 0 || result == -EAGAIN || result == -EINTR;
}

static void *end_at_once(void *nothing)
{
	return nothing;
}

// Threads inherit the signal mask: signals are for the program's threads.
int waker_prepare(void)
{
	sigset_t all, before;
	pthread_t trial;
	sigfillset(&all);
	int failed = pthread_sigmask(SIG_SETMASK, &all, &before);
	if (failed != 0)
		return failed;
	failed = pthread_create(&trial, NULL, end_at_once, NULL);
	if (failed == 0)
		pthread_join(trial, NULL);
	__atomic_store_n(&asked, 0, __ATOMIC_RELEASE);
	int unrestored = pthread_sigmask(SIG_SETMASK, &before, NULL);
	return failed != 0 ? failed : unrestored;
}

bool waker_begin(void)
{
	if (syscall(SYS_gettid) == getpid())
		return false;
	prctl(PR_SET_NAME, "cgoheap"); // the name is for people who list threads, and may fail
	return true;
}

uint32_t waker_wait(void)
{
	uint32_t reasons;
	while ((reasons = __atomic_exchange_n(&asked, 0, __ATOMIC_ACQ_REL) & ~LOOK) == 0)
		if (!sleep_until_asked())
			return 0;
	return (reasons & ENDING) == 0 ? reasons : 0;
}

void waker_end(void)
{
	ask(ENDING);
}
