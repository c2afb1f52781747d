/* Threads whose stacks are known: each says what pthread_getattr_np says of its own, writes to a part of it, and then waits in the
   kernel or goes on running. */

#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include "victim.h"

#define PAGE 4096

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t touched = PTHREAD_COND_INITIALIZER, leaving = PTHREAD_COND_INITIALIZER;

static void report(struct victim_deep *d)
{
	pthread_attr_t attributes;
	void *lo = NULL;
	size_t size = 0;
	if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
		pthread_attr_getstack(&attributes, &lo, &size);
		pthread_attr_destroy(&attributes);
	}
	pthread_mutex_lock(&lock);
	d->lo = (uintptr_t)lo;
	d->hi = (uintptr_t)lo + size;
	d->touched = 1;
	pthread_cond_broadcast(&touched);
	pthread_mutex_unlock(&lock);
}

static void rest(struct victim_deep *d)
{
	while (d->running && !__atomic_load_n(&d->leave, __ATOMIC_ACQUIRE))
		sched_yield();
	pthread_mutex_lock(&lock);
	while (!__atomic_load_n(&d->leave, __ATOMIC_ACQUIRE))
		pthread_cond_wait(&leaving, &lock);
	pthread_mutex_unlock(&lock);
}

static void *deep(void *argument)
{
	struct victim_deep *d = argument;
	volatile char *frame = __builtin_alloca(d->touch);
	for (size_t i = 0; i < d->touch; i += PAGE)
		frame[i] = 1;
	report(d);
	rest(d);
	VICTIM_USE(frame);
	return NULL;
}

int victim_deep_begin(struct victim_deep *all, unsigned n, size_t stack)
{
	pthread_attr_t attributes;
	int error = pthread_attr_init(&attributes);
	if (error == 0)
		error = pthread_attr_setstacksize(&attributes, stack);
	for (unsigned i = 0; i < n && error == 0; i++) {
		error = pthread_create((pthread_t *)&all[i].thread, &attributes, deep, &all[i]);
		pthread_mutex_lock(&lock);
		while (error == 0 && !all[i].touched)
			pthread_cond_wait(&touched, &lock);
		pthread_mutex_unlock(&lock);
	}
	pthread_attr_destroy(&attributes);
	return error;
}

void victim_deep_leave(struct victim_deep *all, unsigned n)
{
	pthread_mutex_lock(&lock);
	for (unsigned i = 0; i < n; i++)
		__atomic_store_n(&all[i].leave, 1, __ATOMIC_RELEASE);
	pthread_cond_broadcast(&leaving);
	pthread_mutex_unlock(&lock);
}

int victim_stacks_kept(void)
{
#ifdef __GLIBC__
	return 1;
#else
	return 0;
#endif
}

void victim_deep_join(struct victim_deep *all, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		pthread_join((pthread_t)all[i].thread, NULL);
}
