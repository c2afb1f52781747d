//go:build ignore

#define _GNU_SOURCE
#include "settler.h"

#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <time.h>

#include "control.h"
#include "region.h"

static void *settle(void *unused)
{
	const struct timespec second = {.tv_sec = 1};
	prctl(PR_SET_NAME, "cgoheap"); // the name is for people who list threads, and may fail
	for (;;) {
		nanosleep(&second, NULL);
		if (region_here())
			cgoheap_settle();
	}
	return unused;
}

// Signals are for the program's threads; but for SIGBUS, by which a page of the box that cannot be had is reported.
static void start(const pthread_attr_t *attributes)
{
	sigset_t most, before;
	pthread_t thread;
	sigfillset(&most);
	sigdelset(&most, SIGBUS);
	if (pthread_sigmask(SIG_SETMASK, &most, &before) != 0)
		return;
	(void)pthread_create(&thread, attributes, settle, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void settler_begin(void)
{
	pthread_attr_t attributes;
	if (pthread_attr_init(&attributes) != 0)
		return;
	(void)pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	(void)pthread_attr_setstacksize(&attributes, 128 << 10);
	start(&attributes);
	pthread_attr_destroy(&attributes);
}
