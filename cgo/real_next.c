//go:build linux && (amd64 || arm64) && cgo && !asan && !msan && !cgoheap_wrap

// In an executable, the real allocator is the next object that has a malloc, in the loader's search order: a preloaded
// allocator, one that the program is linked with, or libc. All functions are looked up in the same way, so that each
// call goes where it would go without us.
//
// In a library, our hooks need not come first. Go links libraries with -Bsymbolic: their own calls reach these hooks
// even if the rest of the program has another malloc. The calls then belong to that malloc, not to the next object's.
//
// Two objects of a program may contain cgoheap, even different versions: a Go executable and a Go library, or two
// libraries. The first finds the second's hooks after its own, and the second finds that the program's malloc is the
// first's. So each allocator that was found is tried: if the call is served from our own arena, it came back to us, and
// the next object that has the family is tried instead. An object that is trying is not resolved yet and serves calls
// from its arena, so no trial goes round in a circle; a resolved object leads on to another allocator. An older
// version, which tries nothing, is noticed by the other object. The object whose hooks the program calls can record; in
// the others, Start reports why they cannot.
//
// In a static executable there is no next object, and Start refuses. With glibc, the linker has put libc's malloc, free and
// realloc in the place of the hooks (real_find.c), but not the rest of the family: those hooks call libc's functions too.
// Otherwise an allocator of our own does the work (fallback.c).

#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <sys/auxv.h>

#include "gate.h"
#include "real.h"
#include "real_arena.h"
#include "fallback.h"
#include "real_objects.h"

struct real cgoheap_real;
void *(*volatile real_look_up)(void *, const char *) = dlsym;

#if !REAL_SANITIZED

extern const ElfW(Ehdr) __ehdr_start __attribute__((weak, visibility("hidden"))); // of the object that this is linked into

static const void *own_malloc; // ours
static bool alone;             // no other object has a malloc

static bool in_executable(void)
{
	return &__ehdr_start != NULL && (uintptr_t)&__ehdr_start + __ehdr_start.e_phoff == getauxval(AT_PHDR);
}

// Whether this is a static executable: no loader is named in its headers.
static bool is_static(void)
{
	const ElfW(Phdr) *headers = (const ElfW(Phdr) *)getauxval(AT_PHDR);
	for (unsigned long i = 0; headers != NULL && i < getauxval(AT_PHNUM); i++)
		if (headers[i].p_type == PT_INTERP)
			return false;
	return in_executable();
}

// The function that the program calls by this name.
static void *programs(const char *name)
{
	return real_behind_entry(real_look_up(dlopen(NULL, RTLD_LAZY), name), name);
}

// Whether the program's malloc is ours.
static bool first_in_line(void)
{
	return in_executable() || programs("malloc") == own_malloc;
}

static bool same_object(const void *p, const void *q)
{
	Dl_info of_p, of_q;
	return dladdr(p, &of_p) != 0 && dladdr(q, &of_q) != 0 && of_p.dli_fbase == of_q.dli_fbase;
}

// If the program calls another malloc, a function that the program's allocator lacks may be found in this object.
void *real_symbol(const char *name)
{
	if (alone)
		return NULL;
	if (first_in_line())
		return real_look_up(RTLD_NEXT, name);
	void *found = programs(name);
	return found != NULL && same_object(found, own_malloc) ? real_look_up(RTLD_NEXT, name) : found;
}

void *real_default(const char *name)
{
	return real_behind_entry(dlsym(RTLD_DEFAULT, name), name);
}

bool real_alone(void)
{
	return alone || is_static();
}

bool real_has(const void *function)
{
	return same_object(function, (void *)cgoheap_real.malloc);
}

static void *next_symbol(const void *unused, const char *name)
{
	(void)unused;
	return real_symbol(name);
}

// Whether r's functions lead back to these hooks. The arena takes nothing back, so its block is not freed: the free of r may be
// another's.
static bool leads_back(const struct real *r)
{
	void *p = r->malloc(1);
	if (p != NULL && arena_has(p))
		return true;
	r->free(p);
	return false;
}

// Finds functions that do not lead back here. The arena stands in meanwhile. A static executable is not asked for what it cannot
// have: dlsym would allocate, and take locks.
static bool find_next(struct real *r)
{
	if (is_static())
		return false;
	family_find(r, next_symbol, NULL);
	for (int i = 0; family_complete(r) && leads_back(r); i++)
		if (!real_of_object(r, own_malloc, i))
			return false;
	return family_complete(r);
}

// glibc's own names for its functions.
#define LIBC_NAMES(X) \
	X(malloc, __libc_malloc) \
	X(free, __libc_free) \
	X(calloc, __libc_calloc) \
	X(realloc, __libc_realloc) \
	X(memalign, __libc_memalign) \
	X(aligned_alloc, __libc_memalign) \
	X(posix_memalign, __posix_memalign) \
	X(malloc_usable_size, __malloc_usable_size)
#define LIBC_DECLARATION(f, name) extern __typeof(*((struct real *)0)->f) name __attribute__((weak));
LIBC_NAMES(LIBC_DECLARATION)

// Finds the functions of the libc that a static executable contains.
static bool find_contained(struct real *r)
{
	if (!is_static())
		return false;
#define LIBC_FIND(f, name) r->f = name;
	LIBC_NAMES(LIBC_FIND)
	return family_complete(r);
}

bool real_resolve(const void *own)
{
	static bool resolving; // dlsym may allocate
	struct real found;
	own_malloc = own;
	if (resolving)
		return false;
	arena_stand_in(&cgoheap_real);
	if (real_look_up == NULL)
		return false;
	resolving = true;
	alone = !find_next(&found);
	resolving = false;
	if (alone && !find_contained(&found))
		fallback_stand_in(&found);
	arena_guard(&found);
	cgoheap_real = found;
	return true;
}

// The file that the function is in; NULL if the loader does not know.
static const char *file_of(const void *function)
{
	Dl_info at;
	return function != NULL && dladdr(function, &at) != 0 ? at.dli_fname : NULL;
}

static bool any_gave_way(const volatile struct linked *l)
{
	for (; l->own != NULL; l++)
		if (l->named != l->own && same_object(l->named, l->own))
			return true;
	return false;
}

static bool gave_way;

// Where a program has its own free, but not its own malloc, the rest of the hooks would never see a block go.
bool real_gave_way(const volatile struct linked *family, const volatile struct linked *mapped)
{
	gave_way = !is_static() && (any_gave_way(family) || any_gave_way(mapped));
	return gave_way;
}

enum refusal real_refusal(const char **object)
{
	*object = NULL;
	if (is_static())
		return REFUSAL_STATIC;
	if (gave_way) {
		*object = file_of(own_malloc);
		return REFUSAL_CONTAINED;
	}
	if (alone || gate_unbuilt(__atomic_load_n(&cgoheap_generation, __ATOMIC_RELAXED)))
		return REFUSAL_NO_MALLOC;
	if (first_in_line())
		return REFUSAL_NONE;
	*object = file_of(programs("malloc"));
	return REFUSAL_BEHIND;
}

bool real_unseen_new(const char **object)
{
	Dl_info at;
	void *found = real_default("_Znwm");
	if (found == NULL || !real_has(found) || dladdr(found, &at) == 0)
		return false;
	*object = at.dli_fname;
	return true;
}

#else

bool real_alone(void)
{
	return true;
}

bool real_unseen_new(const char **object)
{
	*object = NULL;
	return false;
}

bool real_gave_way(const volatile struct linked *family, const volatile struct linked *mapped)
{
	(void)family, (void)mapped;
	return false;
}

bool real_resolve(const void *own)
{
	(void)own;
	return false;
}

enum refusal real_refusal(const char **object)
{
	*object = NULL;
	return REFUSAL_SANITIZED;
}

#endif
