#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "_cgo_export.h"
#include "victim.h"

/* size in, block out */
union order {
	size_t size;
	void *block;
	uintptr_t run;
};

VICTIM_SITE static void *victim_thread_mallocs(void *argument)
{
	union order *order = argument;
	order->block = malloc(order->size);
	VICTIM_USE(order);
	return NULL;
}

VICTIM_SITE static void *victim_thread_calls_go(void *argument)
{
	union order *order = argument;
	victimRunGo(order->run);
	VICTIM_USE(order);
	return NULL;
}

static int run_thread(void *(*body)(void *), union order *order)
{
	pthread_t thread;
	int error = pthread_create(&thread, NULL, body, order);
	return error ? error : pthread_join(thread, NULL);
}

void *victim_malloc_on_thread(size_t size)
{
	union order order = {.size = size};
	return run_thread(victim_thread_mallocs, &order) ? NULL : order.block;
}

int victim_call_go_on_thread(uintptr_t run)
{
	union order order = {.run = run};
	return run_thread(victim_thread_calls_go, &order);
}
