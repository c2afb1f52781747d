/* Functions to preload that stand before libc's, as libfaketime's do: each allocates while it holds a lock. A thread calls them. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define SIZE 7037

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static __thread int has_lock __attribute__((tls_model("initial-exec")));

static void enter(const char *name)
{
	if (has_lock) {
		fprintf(stderr, "%s waits for a lock of its own thread\n", name);
		_exit(1);
	}
	pthread_mutex_lock(&lock);
	has_lock = 1;
	void *volatile block = malloc(SIZE);
	free(block);
}

#define REPLACE(name, parameters, arguments)                                                                           \
	int name parameters                                                                                            \
	{                                                                                                              \
		int(*behind) parameters = (int(*) parameters)dlsym(RTLD_NEXT, #name);                                  \
		enter(#name);                                                                                          \
		int result = behind arguments;                                                                         \
		has_lock = 0;                                                                                          \
		pthread_mutex_unlock(&lock);                                                                           \
		return result;                                                                                         \
	}

REPLACE(clock_gettime, (clockid_t clock, struct timespec *time), (clock, time))
REPLACE(nanosleep, (const struct timespec *time, struct timespec *left), (time, left))
REPLACE(sched_yield, (void), ())

static void *call_them(void *nothing)
{
	const struct timespec moment = {.tv_nsec = 100000};
	struct timespec now;
	for (;;) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		nanosleep(&moment, NULL);
		sched_yield();
	}
	return nothing;
}

/* Signals are for the program's threads. */
__attribute__((constructor)) static void begin(void)
{
	sigset_t all, before;
	pthread_t thread;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	if (pthread_create(&thread, NULL, call_them, NULL) != 0)
		_exit(1);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}
