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

static pthread_t start(void (*body)(void))
{
	pthread_t thread;
	if (pthread_create(&thread, NULL, call, *(void **)&body) != 0)
		abort();
	return thread;
}

void trial_thread(void (*body)(void))
{
	sem_init(&resting, 0, 0);
	pthread_detach(start(body));
	while (sem_wait(&resting) != 0)
		;
}

void trial_rests(void)
{
	sem_post(&resting);
	for (;;)
		pause();
}

void trial_thread_ends(void (*body)(void)) { pthread_join(start(body), NULL); }
