//go:build linux && (amd64 || arm64) && cgo && !asan && !msan && !cgoheap_wrap

// In an executable, the next object that has a malloc, in the order in which the loader searches: a preloaded allocator,
// one that the program is linked with, libc. All functions are looked up alike, so that each goes where it would go
// without us.
//
// In a library it is another question who comes first. Go links libraries with -Bsymbolic: their own calls come to these
// hooks even where the rest of the program has another malloc. They then belong to that one, not to the next.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <sys/auxv.h>

#include "real_arena.h"

struct real cgoheap_real;

#if !REAL_SANITIZED

extern const ElfW(Ehdr) __ehdr_start __attribute__((weak, visibility("hidden"))); // of the object that this is linked into

// NULL until this object's relocations are done.
static void *(*volatile look_up)(void *, const char *) = dlsym;

static bool in_executable(void)
{
	return &__ehdr_start != NULL && (uintptr_t)&__ehdr_start + __ehdr_start.e_phoff == getauxval(AT_PHDR);
}

// The program's malloc is ours.
static bool first_in_line(void)
{
	return in_executable() || look_up(dlopen(NULL, RTLD_LAZY), "malloc") == (void *)real_hook;
}

static void find_all(struct real *r)
{
	void *from = first_in_line() ? RTLD_NEXT : dlopen(NULL, RTLD_LAZY);
	r->malloc = look_up(from, "malloc");
	r->free = look_up(from, "free");
	r->calloc = look_up(from, "calloc");
	r->realloc = look_up(from, "realloc");
	r->memalign = look_up(from, "memalign");
	r->aligned_alloc = look_up(from, "aligned_alloc");
	r->posix_memalign = look_up(from, "posix_memalign");
	r->malloc_usable_size = look_up(from, "malloc_usable_size");
}

static bool complete(const struct real *r)
{
	return r->malloc && r->free && r->calloc && r->realloc && r->memalign && r->aligned_alloc && r->posix_memalign &&
	       r->malloc_usable_size;
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

// Only because of the arena's blocks, of which no other allocator knows.
__attribute__((visibility("default"))) size_t malloc_usable_size(void *p)
{
	real_ready();
	return cgoheap_real.malloc_usable_size(p);
}

enum refusal real_refusal(const char **object)
{
	Dl_info at;
	*object = NULL;
	if (gate_unbuilt(__atomic_load_n(&cgoheap_generation, __ATOMIC_RELAXED)))
		return REFUSAL_NO_MALLOC;
	if (first_in_line())
		return REFUSAL_NONE;
	*object = dladdr((void *)cgoheap_real.malloc, &at) != 0 ? at.dli_fname : NULL;
	return REFUSAL_BEHIND;
}

#else

bool real_resolve(void)
{
	return false;
}

enum refusal real_refusal(const char **object)
{
	*object = NULL;
	return REFUSAL_SANITIZED;
}

#endif
