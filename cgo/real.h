// The real allocator, behind the hooks: which functions the hooks call, and under which names the program calls them.
//
// A dynamic executable has hooks under the family's own names, and calls the next object's functions of those names, as
// the program would without us: the functions of libc, or of an allocator that was preloaded or linked. They are found
// once, by the first call of a hook (real_next.c); calls that come before they can be found get memory from an arena
// (real_arena.c). If there is no other allocator, blocks come from one of our own (fallback.c), and nothing is recorded.
// A malloc that the linker finds in an archive takes the place of the hook; then nothing is recorded either.
//
// With the build tag cgoheap_wrap, for static executables, the linker redirects the program's calls to __wrap_malloc,
// and libc's function is __real_malloc.
#ifndef CGOHEAP_REAL_H
#define CGOHEAP_REAL_H

#include <stdbool.h>
#include <stddef.h>

#include "family.h"

#ifdef CGOHEAP_WRAP

#define HOOK(f) FAMILY_JOIN(__wrap_, FAMILY_NAME(f))
#define REAL(f) FAMILY_JOIN(__real_, FAMILY_NAME(f))

#define REAL_DECLARATION(does, result, name, parameters, trial) result REAL(name) parameters;
FAMILY_REAL(REAL_DECLARATION)
#undef REAL_DECLARATION

#else

#define HOOK(f) FAMILY_NAME(f)
#define REAL(f) FAMILY_TABLE.f

extern struct real FAMILY_TABLE __attribute__((visibility("hidden")));

// dlsym; NULL until this object's relocations are done.
extern void *(*volatile real_look_up)(void *, const char *) __attribute__((visibility("hidden")));

// The function that the program would call by this name without us, or NULL. May take the loader's locks.
void *real_symbol(const char *name);

// The function that a look-up by name finds from here, as the object that defines it has it; NULL if there is none. May take the
// loader's locks.
void *real_default(const char *name);

// Whether no other object has a malloc, and ours does the work.
bool real_alone(void);

// Whether the function belongs to the object whose malloc is the real one. May take the loader's locks.
bool real_has(const void *function);

#endif

// Reasons why the hooks cannot see the program's allocations. The sentences are in recording.go.
enum refusal {
	REFUSAL_NONE,
	REFUSAL_SANITIZED, // the C code was compiled with a sanitizer
	REFUSAL_NO_MALLOC, // no other object has the whole family
	REFUSAL_BEHIND,    // the program calls another object's malloc, not ours
	REFUSAL_DYNAMIC,   // a dynamic executable was linked with --wrap: libraries do not call the hooks
	REFUSAL_STATIC,    // a static executable was linked without --wrap: nobody else has a malloc
	REFUSAL_CONTAINED, // the object that this is linked into contains another malloc, which the linker preferred
};

// A hook of ours that calls a real function, and what its name means here. Lists of them end with NULL. Volatile, so that no
// compiler says that they are the same.
struct linked {
	const void *own, *named;
};

// Whether the linker put another function of this object in the place of a hook of either list. Called before real_refusal.
bool real_gave_way(const volatile struct linked *family, const volatile struct linked *mapped);

// Sets *object to the file whose malloc the program calls instead of ours, or NULL; the string belongs to the loader.
// May take the loader's locks.
enum refusal real_refusal(const char **object);

// Whether C++'s operator new bypasses the hooks: it is a function of the object whose malloc is the real one.
bool real_unseen_new(const char **object);

// Makes REAL callable; called by real_find only. own is our malloc, even if the program calls another. False if, for
// now, REAL is only the arena.
bool real_resolve(const void *own);

#endif
