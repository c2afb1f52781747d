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

static void *settle(void *unused)
{
	const struct timespec second = {.tv_sec = 1};
	prctl(PR_SET_NAME, "cgoheap"); // the name is for people who list threads, and may fail
	while (__atomic_load_n(&settler.ending, __ATOMIC_ACQUIRE) == 0) {
		system_call(SYS_futex, (long)&settler.ending, FUTEX_WAIT_PRIVATE, 0, (long)&second);
		if (region_here())
			cgoheap_settle();
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
