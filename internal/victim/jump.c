/* A handler that jumps out of the calls that it interrupts: out of mmap and munmap it may. */

#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <time.h>

#include "victim.h"

static sigjmp_buf before_calls;
static volatile sig_atomic_t armed;
static unsigned jumps;

static void jump(int number)
{
	(void)number;
	if (!armed)
		return;
	armed = 0;
	__atomic_fetch_add(&jumps, 1, __ATOMIC_RELAXED);
	siglongjmp(before_calls, 1);
}

static void *map_until(void *enough)
{
	while (__atomic_load_n(&jumps, __ATOMIC_RELAXED) < *(unsigned *)enough) {
		if (sigsetjmp(before_calls, 1) == 0)
			armed = 1;
		void *p = victim_map(NULL, 1 << 12, 0);
		if (p != NULL)
			victim_unmap(p, 1 << 12);
	}
	armed = 0;
	return NULL;
}

int victim_jump_out(unsigned times)
{
	const struct timespec pause = {.tv_nsec = 20000};
	struct sigaction action = {.sa_handler = jump, .sa_flags = SA_ONSTACK}, before;
	pthread_t t;
	jumps = 0;
	if (sigaction(SIGXCPU, &action, &before))
		return -1;
	int failed = pthread_create(&t, NULL, map_until, &times);
	while (!failed && __atomic_load_n(&jumps, __ATOMIC_RELAXED) < times) {
		pthread_kill(t, SIGXCPU);
		nanosleep(&pause, NULL);
	}
	failed = failed || pthread_join(t, NULL);
	sigaction(SIGXCPU, &before, NULL);
	return failed;
}
