//go:build linux && (amd64 || arm64) && cgo && !asan && !msan && !cgoheap_wrap

// In an executable, the next object that has a malloc, in the order in which the loader searches: a preloaded allocator,
// one that the program is linked with, libc. All functions are looked up alike, so that each goes where it would go
// without us.
//
// In a library it is another question who comes first. Go links libraries with -Bsymbolic: their own calls come to these
// hooks even where the rest of the program has another malloc. They then belong to that one, not to the next.
//
// Two objects of a program may contain cgoheap, of different versions: a Go executable and a Go library, or two libraries.
// The first finds the second's hooks behind its own, and the second finds that the program's malloc is the first's. So what
// was found is tried: if it serves the call from our own arena, it came back to us, and the next object that has the family
// is tried instead. Whoever tries is not resolved yet and answers from its arena, so no trial goes round in a circle, and
// whoever is resolved leads on to another allocator; one of an older version, which tries nothing, is noticed by the other.
// The object whose hooks the program calls can record, and in the others Start says why they cannot.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <sys/auxv.h>

#include "real_arena.h"
#include "real_objects.h"

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

static bool same_object(const void *p, const void *q)
{
	Dl_info of_p, of_q;
	return dladdr(p, &of_p) != 0 && dladdr(q, &of_q) != 0 && of_p.dli_fbase == of_q.dli_fbase;
}

// Behind another malloc, a function that the program's allocator lacks may be found here.
void *real_symbol(const char *name)
{
	if (first_in_line())
		return look_up(RTLD_NEXT, name);
	void *found = look_up(dlopen(NULL, RTLD_LAZY), name);
	return found != NULL && same_object(found, (void *)real_hook) ? look_up(RTLD_NEXT, name) : found;
}

bool real_has(const void *function)
{
	return same_object(function, (void *)cgoheap_real.malloc);
}

static void find_all(struct real *r)
{
	r->malloc = real_symbol("malloc");
	r->free = real_symbol("free");
	r->calloc = real_symbol("calloc");
	r->realloc = real_symbol("realloc");
	r->memalign = real_symbol("memalign");
	r->aligned_alloc = real_symbol("aligned_alloc");
	r->posix_memalign = real_symbol("posix_memalign");
	r->malloc_usable_size = real_symbol("malloc_usable_size");
}

// Whether r's functions come to these hooks again.
static bool leads_back(const struct real *r)
{
	void *p = r->malloc(1);
	bool back = p != NULL && arena_has(p);
	r->free(p);
	return back;
}

// Finds functions that end in another allocator. The arena stands in meanwhile.
static bool find_real(struct real *r)
{
	find_all(r);
	for (int i = 0; real_complete(r) && leads_back(r); i++)
		if (!real_of_object(r, i))
			return false;
	return real_complete(r);
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
	bool complete = find_real(&found);
	resolving = false;
	if (!complete)
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
	void *first = look_up(dlopen(NULL, RTLD_LAZY), "malloc");
	*object = first != NULL && dladdr(first, &at) != 0 ? at.dli_fname : NULL;
	return REFUSAL_BEHIND;
}

bool real_unseen_new(const char **object)
{
	Dl_info at;
	void *found = dlsym(RTLD_DEFAULT, "_Znwm");
	if (found == NULL || !real_has(found) || dladdr(found, &at) == 0)
		return false;
	*object = at.dli_fname;
	return true;
}

#else

bool real_unseen_new(const char **object)
{
	*object = NULL;
	return false;
}

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
