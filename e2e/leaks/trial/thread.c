#include "trial.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>

static sem_t resting;

static void *call(void *body)
{
	void (*function)(void);
	*(void **)&function = body;
	function();
	return NULL;
}

enum { SMALL_STACK = 1 << 20 };

/* A stack size of 0 is the default. */
static pthread_t start(void (*body)(void), size_t stack)
{
	pthread_t thread;
	pthread_attr_t attributes;
	if (pthread_attr_init(&attributes) != 0 || (stack != 0 && pthread_attr_setstacksize(&attributes, stack) != 0))
		abort();
	if (pthread_create(&thread, &attributes, call, *(void **)&body) != 0)
		abort();
	pthread_attr_destroy(&attributes);
	return thread;
}

void trial_thread(void (*body)(void))
{
	sem_init(&resting, 0, 0);
	pthread_detach(start(body, 0));
	while (sem_wait(&resting) != 0)
		;
}

void trial_rests(void)
{
	sem_post(&resting);
	for (;;)
		pause();
}

/* libc keeps the stack. A thread of Go's would take it over if it were as large, and while a thread runs, its whole stack counts. */
void trial_thread_ends(void (*body)(void)) { pthread_join(start(body, SMALL_STACK), NULL); }
