#define _GNU_SOURCE
#include "core.h"

#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "_cgo_export.h"

#include "way.h"

WAY core_malloc(size_t size)
{
	return kept(malloc(size));
}

WAY core_calloc(size_t size)
{
	char *p = calloc(1, size);
	for (size_t i = 0; p != NULL && i < size; i++)
		if (p[i] != 0)
			abort();
	return kept(p);
}

WAY core_realloc(size_t size)
{
	return kept(realloc(NULL, size));
}

WAY core_reallocarray(size_t size)
{
	return kept(reallocarray(NULL, 1, size));
}

static void *aligned(void *p, size_t alignment)
{
	if (p == NULL || (uintptr_t)p % alignment != 0)
		abort();
	return kept(p);
}

WAY core_memalign(size_t size)
{
	return aligned(memalign(256, size), 256);
}

WAY core_aligned_alloc(size_t size)
{
	return aligned(aligned_alloc(64, size), 64);
}

WAY core_posix_memalign(size_t size)
{
	void *p = NULL;
	if (posix_memalign(&p, 128, size) != 0)
		abort();
	return aligned(p, 128);
}

WAY core_valloc(size_t size)
{
	return aligned(valloc(size), 4096);
}

/* libc calls malloc for its own functions too. */
WAY core_strdup(size_t size)
{
	char text[size];
	memset(text, 'x', size);
	text[size - 1] = 0;
	return kept(strdup(text));
}

#ifdef CORE_CXX
void *core_new(size_t size);
void core_delete(void *p);
#endif

#ifdef CORE_CXX
static void undo_new(void *p, size_t size)
{
	(void)size;
	core_delete(p);
}
#endif

static void undo(void *p, size_t size)
{
	(void)size;
	free(p);
}

static const struct way ways[] = {
	{"core_malloc", core_malloc, undo},
	{"core_calloc", core_calloc, undo},
	{"core_realloc", core_realloc, undo},
	{"core_reallocarray", core_reallocarray, undo},
	{"core_memalign", core_memalign, undo},
	{"core_aligned_alloc", core_aligned_alloc, undo},
	{"core_posix_memalign", core_posix_memalign, undo},
	{"core_valloc", core_valloc, undo},
	{"core_strdup", core_strdup, undo},
#ifdef CORE_CXX
	{"core_new", core_new, undo_new},
#endif
};

static const struct way *way_of(int way)
{
	int own = sizeof ways / sizeof *ways;
	return way < own ? &ways[way] : core_brought_way(way - own);
}

const char *core_name(int way)
{
	return way_of(way) != NULL ? way_of(way)->name : NULL;
}

void *core_allocate(int way, size_t size)
{
	return kept(way_of(way)->call(size));
}

void core_free(int way, void *p, size_t size)
{
	way_of(way)->undo(p, size);
}

__attribute__((noinline)) void core_call_go(uintptr_t visit)
{
	coreVisit(visit);
	__asm__ volatile("");
}

static void *core_thread_calls_go(void *visit)
{
	core_call_go((uintptr_t)visit);
	return NULL;
}

int core_thread(uintptr_t visit)
{
	pthread_t thread;
	int failed = pthread_create(&thread, NULL, core_thread_calls_go, (void *)visit);
	return failed != 0 ? failed : pthread_join(thread, NULL);
}

struct alone {
	int way, count, keep;
	size_t size;
};

static void *core_thread_allocates(void *argument)
{
	const struct alone *a = argument;
	for (int i = 0; i < a->count; i++) {
		void *p = core_allocate(a->way, a->size);
		if (i >= a->keep)
			core_free(a->way, p, a->size);
	}
	return NULL;
}

int core_thread_alone(int way, size_t size, int count, int keep)
{
	struct alone a = {way, count, keep, size};
	pthread_t thread;
	int failed = pthread_create(&thread, NULL, core_thread_allocates, &a);
	return failed != 0 ? failed : pthread_join(thread, NULL);
}

int core_undumpable(void)
{
	return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}
