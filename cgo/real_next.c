//go:build linux && (amd64 || arm64) && cgo && !asan && !msan && !cgoheap_wrap

// The next object that has a malloc, in the order in which the loader searches: a preloaded allocator, one that the
// program is linked with, libc. All functions are looked up alike, so that each goes where it would go without us.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>

#include "real_arena.h"

struct real cgoheap_real;

// NULL until this object's relocations are done.
static void *(*volatile look_up)(void *, const char *) = dlsym;

static void *next(const char *name)
{
	return look_up(RTLD_NEXT, name);
}

static void find_all(struct real *r)
{
	r->malloc = next("malloc");
	r->free = next("free");
	r->calloc = next("calloc");
	r->realloc = next("realloc");
	r->memalign = next("memalign");
	r->aligned_alloc = next("aligned_alloc");
	r->posix_memalign = next("posix_memalign");
}

static bool complete(const struct real *r)
{
	return r->malloc && r->free && r->calloc && r->realloc && r->memalign && r->aligned_alloc && r->posix_memalign;
}

bool real_resolve(void)
{
	static bool resolving; // dlsym may allocate
	struct real found;
	if (resolving)
		return false;
	arena_stand_in(&cgoheap_real);
	if (look_up == NULL)
		return false;
	resolving = true;
	find_all(&found);
	resolving = false;
	if (!complete(&found))
		return false;
	arena_guard(&found);
	cgoheap_real = found;
	return true;
}

enum refusal real_refusal(const char **object)
{
	Dl_info at;
	void *first = dlsym(RTLD_DEFAULT, "malloc");
	*object = NULL;
	if (REAL_SANITIZED)
		return REFUSAL_SANITIZED;
	if (first != (void *)real_hook) {
		*object = dladdr(first, &at) != 0 ? at.dli_fname : NULL;
		return REFUSAL_BEHIND;
	}
	return gate_unbuilt(__atomic_load_n(&cgoheap_generation, __ATOMIC_RELAXED)) ? REFUSAL_NO_MALLOC : REFUSAL_NONE;
}
