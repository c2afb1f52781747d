#define _GNU_SOURCE
#include "walks.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <stddef.h>
#include <unwind.h>

#include "clock.h"
#include "levels.h"

enum { FRAMES = 128 };

static void *frames[FRAMES];

// From cgoheap's package cgo; needs a recording. Weak, because not all programs contain it.
extern size_t cgoheap_walk(uintptr_t *pcs, size_t max) __attribute__((weak));

static int (*libunwind)(void **, int); // Debian: libunwind8

static size_t walk_ours(void)
{
	return cgoheap_walk ? cgoheap_walk((uintptr_t *)frames, FRAMES) : 0;
}

static size_t walk_libunwind(void)
{
	return libunwind ? (size_t)libunwind(frames, FRAMES) : 0;
}

static size_t walk_backtrace(void)
{
	return (size_t)backtrace(frames, FRAMES);
}

static _Unwind_Reason_Code keep(struct _Unwind_Context *context, void *argument)
{
	size_t *depth = argument;
	if (*depth < FRAMES)
		frames[(*depth)++] = (void *)_Unwind_GetIP(context);
	return _URC_NO_REASON;
}

static size_t walk_unwind_backtrace(void)
{
	size_t depth = 0;
	_Unwind_Backtrace(keep, &depth);
	return depth;
}

static size_t (*const walkers[WALKERS])(void) = {walk_ours, walk_libunwind, walk_backtrace, walk_unwind_backtrace};

struct order_to_walk {
	long depth, walks;
	struct found *found;
};

static void measure(void *argument)
{
	struct order_to_walk *o = argument;
	for (int i = 0; i < WALKERS; i++) {
		o->found[i] = (struct found){-1, -1};
		size_t depth = 0;
		for (long warm = 0; warm < 1000; warm++)
			depth = walkers[i]();
		if (depth <= (size_t)o->depth)
			continue;
		double wall = now(CLOCK_MONOTONIC), cpu = now(CLOCK_THREAD_CPUTIME_ID);
		for (long n = 0; n < o->walks; n++)
			walkers[i]();
		o->found[i].wall = (now(CLOCK_MONOTONIC) - wall) / (double)o->walks;
		o->found[i].cpu = (now(CLOCK_THREAD_CPUTIME_ID) - cpu) / (double)o->walks;
	}
}

static void *below(void *argument)
{
	levels_down(((struct order_to_walk *)argument)->depth, measure, argument);
	STAY;
	return NULL;
}

void walks_run(long depth, long walks, struct found found[WALKERS])
{
	void *library = dlopen("libunwind.so.8", RTLD_NOW);
	libunwind = library ? (int (*)(void **, int))dlsym(library, "unw_backtrace") : NULL;
	struct order_to_walk o = {depth, walks, found};
	pthread_t thread;
	pthread_create(&thread, NULL, below, &o);
	pthread_join(thread, NULL);
}
