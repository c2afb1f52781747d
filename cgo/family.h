// The malloc family, in one list. The hooks' names, the real functions, their stand-ins and how they are found come
// from it, and cgo's test makes the linker's and Go's lists from it (family_test.go).
//
// To add a function: a row here, its hook in hooks_family.h and, for a row of FAMILY_REAL, its stand-ins in real_arena.c and fallback.c; then
// go test ./cgo -run Family -update. A hook without a row and a row without a stand-in do not compile, and a row
// without a hook does not link in the test of a family under other names.
#ifndef CGOHEAP_FAMILY_H
#define CGOHEAP_FAMILY_H

#include <features.h>
#include <stddef.h>

#include "family_brought.h"

// A row says what a function does with blocks, its result, its name, its parameters and, if it makes a block, the
// arguments of a trial call, which may store a block in p. A function
//
//	GIVES    returns a block
//	STORES   stores a block's address, and returns an errno
//	RESIZES  takes a block and returns one
//	TAKES    takes a block and returns none

// Hooks that call the real allocator's function of the same name.
#define FAMILY_REAL(X) \
	X(GIVES, void *, malloc, (size_t size), (64)) \
	X(TAKES, void, free, (void *p), ()) \
	X(GIVES, void *, calloc, (size_t count, size_t size), (1, 1)) \
	X(RESIZES, void *, realloc, (void *p, size_t size), (REAL(calloc)(1, 1), 1 << 16)) \
	X(GIVES, void *, memalign, (size_t alignment, size_t size), (64, 64)) \
	X(GIVES, void *, aligned_alloc, (size_t alignment, size_t size), (64, 64)) \
	X(STORES, int, posix_memalign, (void **to, size_t alignment, size_t size), (&p, 64, 64))

// Hooks that only call other hooks.
#define FAMILY_MADE(X) \
	X(RESIZES, void *, reallocarray, (void *p, size_t count, size_t size), ()) \
	X(GIVES, void *, valloc, (size_t size), ()) \
	X(GIVES, void *, pvalloc, (size_t size), ()) \
	X(TAKES, void, cfree, (void *p), ()) \
	X(TAKES, void, free_sized, (void *p, size_t size), ()) \
	X(TAKES, void, free_aligned_sized, (void *p, size_t alignment, size_t size), ())

// One function of the family has no hook, so that the program uses the real one: see real_find.c. With glibc that is
// malloc_usable_size. With musl, whose malloc_usable_size ends a program that asks about a block of another allocator's, it is valloc,
// which calls memalign there. A program that is linked with --wrap needs no hook for malloc_usable_size either.
#if defined(CGOHEAP_WRAP) || defined(__GLIBC__)
#define FAMILY_SIZED 0
#else
#define FAMILY_SIZED 1
#endif

// The functions that are looked up in the real allocator. Only its own hook needs the last.
#define FAMILY_FOUND(X) \
	FAMILY_REAL(X) \
	X(TAKES, size_t, malloc_usable_size, (void *p), ())

// Families that libraries bring along under names with a prefix: the name of a package in allocators, whose import hooks that
// family, the prefix, the list of its functions (family_brought.h), and those without which a program that imports the package does
// not link. By these the linker finds the object files of an archive, one for each; the calls themselves lead to the hooks. DuckDB's
// archive calls functions that have no hook, and some builds of DuckDB lack the allocator.
// After a change: go test ./cgo -run Family -update.
#define FAMILY_BROUGHT(X) \
	X(duckdb, duckdb_je_, FAMILY_JEMALLOC, ()) \
	X(jemalloc, je_, FAMILY_JEMALLOC, (malloc)) \
	X(rust, _rjem_, FAMILY_JEMALLOC, (malloc)) \
	X(mimalloc, mi_, FAMILY_MIMALLOC, (malloc, malloc_aligned, posix_memalign)) \
	X(tcmalloc, tc_, FAMILY_TCMALLOC, (malloc))

// One more, of the program that is built: docs/allocators.md.
#ifdef CGOHEAP_PREFIX
#define FAMILY_OWN(X) X(own, CGOHEAP_PREFIX, CGOHEAP_FAMILY, ())
#else
#define FAMILY_OWN(X)
#endif

// A file may hook a family of other names, such as je_malloc. Before it includes hooks.h and hooks_family.h, it defines
//
//	FAMILY_NAME(f)  the name of f in that family: with a prefix, a suffix or both
//	FAMILY_TABLE    a struct real of its own, which it fills in; without one, the linker's __real_ names serve: CGOHEAP_WRAP
//	FAMILY_NESTS    whether functions of that family call others that are hooked
#ifndef FAMILY_NAME
#define FAMILY_NAME(f) f
#define FAMILY_TABLE cgoheap_real
#define FAMILY_NESTS real_nests
#endif

#define FAMILY_JOIN_(a, b) a##b
#define FAMILY_JOIN(a, b) FAMILY_JOIN_(a, b)
#define FAMILY_STRING_(a) #a
#define FAMILY_STRING(a) FAMILY_STRING_(a)

#define FAMILY_POINTER(does, result, name, parameters, trial) result(*name) parameters;
struct real {
	FAMILY_FOUND(FAMILY_POINTER)
};
#undef FAMILY_POINTER

// Fills in r with what find returns for the family's names.
static inline void family_find(struct real *r, void *(*find)(const void *among, const char *name), const void *among)
{
#define FIND(does, result, name, parameters, trial) r->name = find(among, FAMILY_STRING(FAMILY_NAME(name)));
	FAMILY_FOUND(FIND)
#undef FIND
}

// Whether every function was found.
static inline int family_complete(const struct real *r)
{
#define AND_FOUND(does, result, name, parameters, trial) &&r->name != NULL
	return 1 FAMILY_FOUND(AND_FOUND);
#undef AND_FOUND
}

// With a sanitizer that brings its own malloc, hooks cannot work; __has_feature is clang's.
#ifndef __has_feature
#define __has_feature(f) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || __has_feature(address_sanitizer) ||               \
	__has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define REAL_SANITIZED 1
#else
#define REAL_SANITIZED 0
#endif

#endif
