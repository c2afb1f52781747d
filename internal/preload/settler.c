//go:build ignore

#define _GNU_SOURCE
#include "settler.h"

#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "control.h"
#include "machine.h"
#include "region.h"

// From linux/futex.h, which musl's compilers do not find.
#define FUTEX_WAIT_PRIVATE 128
#define FUTEX_WAKE_PRIVATE 129

static struct {
	pthread_t thread;
	pid_t process;   // that the thread is of; 0 for none
	uint32_t ending; // a futex
} settler;

#define SECOND 1000000000ULL
#define SHARE 100 // it takes no more than this part of a processor

static void await_end(uint64_t nanoseconds)
{
	const struct timespec t = {.tv_sec = (time_t)(nanoseconds / SECOND), .tv_nsec = (long)(nanoseconds % SECOND)};
	system_call(SYS_futex, (long)&settler.ending, FUTEX_WAIT_PRIVATE, 0, (long)&t);
}

static void *settle(void *unused)
{
	uint64_t pause = SECOND;
	prctl(PR_SET_NAME, "cgoheap"); // the name is for people who list threads, and may fail
	while (__atomic_load_n(&settler.ending, __ATOMIC_ACQUIRE) == 0) {
		await_end(pause);
		uint64_t before = clock_read(CLOCK_THREAD_CPUTIME_ID);
		if (region_here())
			cgoheap_settle();
		uint64_t took = clock_read(CLOCK_THREAD_CPUTIME_ID) - before;
		pause = took * SHARE > SECOND ? took * SHARE : SECOND;
	}
	return unused;
}

// Signals are for the program's threads; but for SIGBUS, by which a page of the box that cannot be had is reported.
static void create(const pthread_attr_t *attributes)
{
	sigset_t most, before;
	sigfillset(&most);
	sigdelset(&most, SIGBUS);
	if (pthread_sigmask(SIG_SETMASK, &most, &before) != 0)
		return;
	settler.ending = 0;
	settler.process = pthread_create(&settler.thread, attributes, settle, NULL) == 0 ? getpid() : 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void settler_begin(void)
{
	pthread_attr_t attributes;
	if (pthread_attr_init(&attributes) != 0)
		return;
	(void)pthread_attr_setstacksize(&attributes, 128 << 10);
	create(&attributes);
	pthread_attr_destroy(&attributes);
}

bool settler_end(void)
{
	if (settler.process != getpid())
		return false;
	__atomic_store_n(&settler.ending, 1, __ATOMIC_RELEASE);
	system_call(SYS_futex, (long)&settler.ending, FUTEX_WAKE_PRIVATE, 1, 0);
	settler.process = 0;
	return pthread_join(settler.thread, NULL) == 0;
}
