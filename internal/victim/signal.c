/* Handlers that allocate, and signals that come while others do. */

#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "victim.h"

void victimNothing(void); /* of Go */

enum { STACK = 256 << 10 };

/* The next signal of a thread asks for this. */
static __thread size_t asked;
static __thread void *volatile given;

VICTIM_SITE static void handle(int number)
{
	(void)number;
	given = malloc(asked);
	VICTIM_USE(given);
}

/* The signal comes at a place where malloc may be called, and is handled when raise returns. */
static void *raise_one(int flags)
{
	struct sigaction action = {.sa_handler = handle, .sa_flags = flags}, before;
	given = NULL;
	if (sigaction(SIGXCPU, &action, &before))
		return NULL;
	raise(SIGXCPU);
	sigaction(SIGXCPU, &before, NULL);
	return given;
}

VICTIM_SITE void *victim_malloc_in_handler(size_t size)
{
	asked = size;
	return raise_one(0);
}

VICTIM_SITE void *victim_malloc_on_signal_stack(size_t size)
{
	stack_t stack = {.ss_size = STACK}, before;
	void *block = NULL;
	stack.ss_sp = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (stack.ss_sp == MAP_FAILED)
		return NULL;
	asked = size;
	if (!sigaltstack(&stack, &before)) {
		block = raise_one(SA_ONSTACK);
		sigaltstack(&before, NULL);
	}
	munmap(stack.ss_sp, STACK); /* the next one may well lie elsewhere */
	return block;
}

/* A handler before another one, which it counts for. */
static struct sigaction counted;
static int counted_number;
static unsigned long seen;

static void count_and_pass_on(int number, siginfo_t *info, void *context)
{
	__atomic_fetch_add(&seen, 1, __ATOMIC_RELAXED);
	counted.sa_sigaction(number, info, context);
}

int victim_count_signals(int number)
{
	struct sigaction action;
	if (sigaction(number, NULL, &counted))
		return errno;
	if (!(counted.sa_flags & SA_SIGINFO))
		return ENOENT;
	action = counted;
	action.sa_sigaction = count_and_pass_on;
	counted_number = number;
	__atomic_store_n(&seen, 0, __ATOMIC_RELAXED);
	return sigaction(number, &action, NULL) ? errno : 0;
}

unsigned long victim_counted_signals(void)
{
	sigaction(counted_number, &counted, NULL);
	return __atomic_load_n(&seen, __ATOMIC_RELAXED);
}

/* A handler in the place of another, which it does not call. */
static struct sigaction replaced;
static int replaced_number;
static unsigned long reached;

static void reach(int number)
{
	(void)number;
	__atomic_fetch_add(&reached, 1, __ATOMIC_RELAXED);
}

int victim_replace_handler(int number, unsigned flags)
{
	struct sigaction action = {.sa_handler = reach, .sa_flags = (int)flags};
	replaced_number = number;
	__atomic_store_n(&reached, 0, __ATOMIC_RELAXED);
	return sigaction(number, &action, &replaced) ? errno : 0;
}

int victim_restore_handler(void)
{
	return sigaction(replaced_number, &replaced, NULL) ? errno : 0;
}

unsigned long victim_replaced(void)
{
	return __atomic_load_n(&reached, __ATOMIC_RELAXED);
}

struct raised {
	int number, calls_go, has_stack;
};

static void *raise_it(void *argument)
{
	const struct raised *r = argument;
	stack_t own = {.ss_size = STACK}, none = {.ss_flags = SS_DISABLE};
	if (r->calls_go)
		victimNothing();
	if (r->has_stack) {
		own.ss_sp = malloc(STACK);
		sigaltstack(&own, NULL);
	}
	raise(r->number);
	if (r->has_stack)
		sigaltstack(&none, NULL);
	free(own.ss_sp);
	return NULL;
}

int victim_raise_on_thread(int number, int calls_go, int has_stack)
{
	struct raised r = {number, calls_go, has_stack};
	pthread_t thread;
	int failed = pthread_create(&thread, NULL, raise_it, &r);
	return failed ? failed : pthread_join(thread, NULL);
}
