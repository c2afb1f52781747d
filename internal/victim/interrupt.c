/* Handlers that interrupt malloc itself and call it. Only an allocator that is made for this survives it: see
   testdata/bump.c. */

#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "victim.h"

enum { NESTED = 3, PERIOD = 50000, MOST = 4000 };

static size_t asked;
static volatile sig_atomic_t inside;
static uint64_t handled;

/* The handler unblocks its signal, but only this deep: at most so many handlers are on the stack, however fast
   signals come. */
static void let_another_in(void)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGXCPU);
	if (inside < NESTED)
		pthread_sigmask(SIG_UNBLOCK, &set, NULL); /* until the handler returns */
}

/* Whatever it interrupts, errno included, goes on as if nothing had been. On a busy machine signals come at many more places
   before the work is done, each with a stack of its own, so that only the first ones allocate. */
VICTIM_SITE static void interrupt(int number)
{
	int error = errno;
	(void)number;
	if (__atomic_load_n(&handled, __ATOMIC_RELAXED) < MOST) {
		inside++;
		let_another_in();
		void *block = malloc(asked);
		VICTIM_USE(block);
		block = realloc(block, asked);
		VICTIM_USE(block);
		free(block);
		__atomic_fetch_add(&handled, 2, __ATOMIC_RELAXED);
		inside--;
	}
	errno = error;
}

/* Signals for the calling thread, at a rate at which each handler lets it go on for a little. */
static int start_timer(timer_t *timer)
{
	struct itimerspec often = {{0, PERIOD}, {0, PERIOD}};
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGXCPU};
	event._sigev_un._tid = syscall(SYS_gettid);
	if (timer_create(CLOCK_MONOTONIC, &event, timer))
		return -1;
	return timer_settime(*timer, 0, &often, NULL);
}

VICTIM_SITE static void work(unsigned count, size_t size)
{
	for (unsigned i = 0; i < count; i++) {
		void *block = malloc(size);
		VICTIM_USE(block);
		block = realloc(block, size);
		VICTIM_USE(block);
		free(block);
	}
}

VICTIM_SITE uint64_t victim_interrupted(unsigned count, size_t size, size_t handler_size)
{
	struct sigaction action = {.sa_handler = interrupt, .sa_flags = SA_RESTART}, before;
	timer_t timer;
	asked = handler_size;
	__atomic_store_n(&handled, 0, __ATOMIC_RELAXED);
	if (sigaction(SIGXCPU, &action, &before))
		return 0;
	if (!start_timer(&timer)) {
		work(count, size);
		timer_delete(timer); /* what was still to come has come when this returns */
	}
	sigaction(SIGXCPU, &before, NULL);
	return __atomic_load_n(&handled, __ATOMIC_RELAXED);
}
