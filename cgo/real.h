// The real allocator, behind the hooks: which functions the hooks call, and under which names the program calls them.
//
// A dynamic executable has hooks under the family's own names, and calls the next object's functions of those names, as
// the program would without us: those of libc, or of an allocator that was preloaded or linked. They are found once, by
// the first call of a hook (real_next.c); what is called before they can be found gets its memory from an arena
// (real_arena.c).
//
// With the build tag cgoheap_wrap, for static executables, the linker gives the program's calls to __wrap_malloc and
// knows libc's function as __real_malloc.
#ifndef CGOHEAP_REAL_H
#define CGOHEAP_REAL_H

#include <stdbool.h>
#include <stddef.h>

#include "gate.h"

// A sanitizer that brings a malloc of its own leaves no room for hooks; __has_feature is clang's.
#ifndef __has_feature
#define __has_feature(f) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || __has_feature(address_sanitizer) ||               \
	__has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define REAL_SANITIZED 1
#else
#define REAL_SANITIZED 0
#endif

#ifdef CGOHEAP_WRAP

#define HOOK(f) __wrap_##f
#define REAL(f) __real_##f

void *__real_malloc(size_t size);
void __real_free(void *p);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *p, size_t size);
void *__real_memalign(size_t alignment, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
int __real_posix_memalign(void **to, size_t alignment, size_t size);

#else

#define HOOK(f) f
#define REAL(f) cgoheap_real.f

struct real {
	void *(*malloc)(size_t size);
	void (*free)(void *p);
	void *(*calloc)(size_t count, size_t size);
	void *(*realloc)(void *p, size_t size);
	void *(*memalign)(size_t alignment, size_t size);
	void *(*aligned_alloc)(size_t alignment, size_t size);
	int (*posix_memalign)(void **to, size_t alignment, size_t size);
	size_t (*malloc_usable_size)(void *p);
};

extern struct real cgoheap_real __attribute__((visibility("hidden")));

// What the program would call by this name without us, or NULL. May take the loader's locks.
void *real_symbol(const char *name);

// Whether the function is of the object whose malloc is the real one. May take the loader's locks.
bool real_has(const void *function);

// Our malloc, whichever the program calls.
extern void *real_hook(size_t size) __attribute__((visibility("hidden")));

#endif

// Why the hooks cannot see what the program allocates. The sentences are in shim.go.
enum refusal {
	REFUSAL_NONE,
	REFUSAL_SANITIZED, // the C code was compiled with a sanitizer
	REFUSAL_NO_MALLOC, // no other object has the whole family
	REFUSAL_BEHIND,    // the program calls another object's malloc, not ours
	REFUSAL_DYNAMIC,   // a dynamic executable was linked with --wrap: libraries do not call the hooks
};

// *object is the file whose malloc stands before ours, or NULL; it belongs to the loader. May take the loader's locks.
enum refusal real_refusal(const char **object);

// Whether C++'s operator new goes past the hooks, into the object whose malloc is the real one.
bool real_unseen_new(const char **object);

// Finds the real allocator and builds the gate; where it cannot be found yet, the arena stands in, and the gate stays
// unbuilt.
void real_find(void);

// Its part that differs: makes REAL callable. False if only the arena is, for now.
bool real_resolve(void);

// Whether the real allocator calls some of its functions, which are hooked, from others: musl's calloc calls malloc, and
// its posix_memalign aligned_alloc.
extern bool real_nests __attribute__((visibility("hidden")));

// Whether a trial of a real function, given which one, calls a hook. For real_find alone.
bool real_calls_hooks(void (*trial)(int), int which);

// The slow halves of the hooks begin with it; REAL may be called afterwards.
static inline void real_ready(void)
{
	if (__builtin_expect(gate_unbuilt(__atomic_load_n(&cgoheap_generation, __ATOMIC_RELAXED)), 0))
		real_find();
}

#endif
