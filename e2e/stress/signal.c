/* Handlers that allocate. The signal comes at any instruction of stress_spin and of its callees, none of which is in
   the allocator: a handler that allocates while it interrupts the allocator would be the program's own fault. */

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "worker.h"

struct signalled {
	uint32_t site;
	int number;
	bool alternate;
};

static __thread uint32_t handled_site;

SITE static void stress_handler(int number)
{
	int error = errno;
	(void)number;
	stress_visit(handled_site + stress_random() % STRESS_WAYS);
	stress_count(SIGNALS);
	errno = error;
}

SITE static unsigned leaf(unsigned n)
{
	return n * 2654435761u >> 3;
}

SITE static void mask(int how, int number)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, number);
	pthread_sigmask(how, &set, NULL);
	KEEP_FRAME();
}

SITE static void stress_spin(int number)
{
	static volatile unsigned sink;
	mask(SIG_UNBLOCK, number);
	for (unsigned i = 0; i < 2000; i++)
		sink = leaf(sink + i);
	mask(SIG_BLOCK, number);
	KEEP_FRAME();
}

SITE static void *stress_signalled(void *argument)
{
	const struct signalled *s = argument;
	size_t size = 64 << 10;
	stack_t alternate = {.ss_sp = malloc(size), .ss_size = size}, none = {.ss_flags = SS_DISABLE};
	handled_site = s->site;
	if (s->alternate)
		sigaltstack(&alternate, NULL);
	while (!stress_ended())
		stress_spin(s->number);
	sigaltstack(&none, NULL);
	free(alternate.ss_sp);
	return NULL;
}

static bool handle(int number, bool alternate)
{
	struct sigaction action = {.sa_handler = stress_handler, .sa_flags = alternate ? SA_ONSTACK : 0};
	return sigaction(number, &action, NULL) == 0;
}

/* The thread begins with the signal blocked, because its creator blocks it. */
static bool create(pthread_t *thread, struct signalled *s)
{
	sigset_t set, before;
	sigemptyset(&set);
	sigaddset(&set, s->number);
	pthread_sigmask(SIG_BLOCK, &set, &before);
	bool created = pthread_create(thread, NULL, stress_signalled, s) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return created;
}

void stress_signals(uint32_t site, int alternate)
{
	struct signalled s = {site, SIGRTMIN + 5 + alternate, alternate};
	pthread_t thread;
	bool created = handle(s.number, alternate) && create(&thread, &s);
	stress_must(created, "a thread for signals begins");
	while (created && !stress_ended()) {
		pthread_kill(thread, s.number);
		usleep(20 + stress_random() % 100);
	}
	stress_must(created && pthread_join(thread, NULL) == 0, "a thread for signals ends");
}
