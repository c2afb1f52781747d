//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

// A program that contains libstdc++ has no other operators, because the linker takes these hooks instead: then the
// standard's operators are made here.

#define _GNU_SOURCE
#include "real_operators.h"

#include "family.h"

#if defined(CGOHEAP_OPERATORS) && !REAL_SANITIZED

#include <dlfcn.h>

#include "operators_memory.h"
#include "real.h"
#include "real_arena.h"
#include "real_nested.h"
#include "real_objects.h"

struct real_new real_news[NEWS];
struct real_delete real_deletes[DELETES];

#define AS_NAME(shape, symbol) #symbol,
static const char new_names[NEWS][40] = {EACH_NEW(AS_NAME)};
static const char delete_names[DELETES][40] = {EACH_DELETE(AS_NAME)};

static inline void *allocate(size_t size, uintptr_t alignment)
{
	size_t some = size == 0 ? 1 : size;
	uint64_t countdown = begin_real(true);
	void *p = alignment == 0 ? REAL(malloc)(some) : REAL(memalign)(alignment, some);
	end_real(countdown);
	return p;
}

static inline void *allocate_or_throw(size_t size, uintptr_t alignment)
{
	for (;;) {
		void *p = allocate(size, alignment);
		if (p != NULL)
			return p;
		operators_out_of_memory();
	}
}

static inline void *allocate_or_not(size_t size, uintptr_t alignment)
{
	for (;;) {
		void *p = allocate(size, alignment);
		if (p != NULL || !operators_out_of_memory_nothrow())
			return p;
	}
}

static void *standard_new(size_t size, uintptr_t a, uintptr_t b)
{
	(void)a, (void)b;
	return allocate_or_throw(size, 0);
}

static void *standard_new_nothrow(size_t size, uintptr_t a, uintptr_t b)
{
	(void)a, (void)b;
	return allocate_or_not(size, 0);
}

static void *standard_new_aligned(size_t size, uintptr_t alignment, uintptr_t b)
{
	(void)b;
	return allocate_or_throw(size, alignment);
}

static void *standard_new_aligned_nothrow(size_t size, uintptr_t alignment, uintptr_t b)
{
	(void)b;
	return allocate_or_not(size, alignment);
}

static void standard_delete(void *p, uintptr_t a, uintptr_t b)
{
	(void)a, (void)b;
	REAL(free)(p);
}

// A switch, not a table of addresses, because it is needed before relocations are done.
new_function *real_standard_new(int shape)
{
	bool nothrow = shape % 4 >= NEW_NOTHROW;
	if (shape >= NEW_ALIGNED)
		return nothrow ? standard_new_aligned_nothrow : standard_new_aligned;
	return nothrow ? standard_new_nothrow : standard_new;
}

delete_function *real_standard_delete(void)
{
	return standard_delete;
}

// The operators that are called by the guards, which keep the arena's blocks from them.
static delete_function *guarded[DELETES];

#define GUARD(shape, symbol)                                                                                           \
	static void guard_##shape(void *p, uintptr_t a, uintptr_t b)                                                   \
	{                                                                                                              \
		if (!arena_has(p))                                                                                     \
			guarded[shape](p, a, b);                                                                       \
	}

EACH_DELETE(GUARD)

#define PUT_GUARD(shape, symbol) guarded[shape] = real_deletes[shape].call, real_deletes[shape].call = guard_##shape;

static const char nothrow; // stands for std::nothrow, whose address has no meaning
static void *tried;

static void try_new(int shape)
{
	uintptr_t last = (uintptr_t)&nothrow;
	tried = shape < NEW_ALIGNED ? real_news[shape].call(64, last, 0) : real_news[shape].call(64, 64, last);
}

static void delete_tried(int shape)
{
	uintptr_t last = (uintptr_t)&nothrow;
	if (shape < NEW_ALIGNED)
		real_deletes[shape].call(tried, last, 0);
	else
		real_deletes[shape].call(tried, 64, last);
}

// An allocator may implement its operators with its public malloc, which is hooked. Tried for new only: jemalloc's
// delete calls the hooked free, but its new does not call malloc.
void real_try_operators(void)
{
	for (int i = 0; i < NEWS; i++) {
		if (real_news[i].passes || real_news[i].call == real_standard_new(i))
			continue;
		real_news[i].passes = real_calls_hooks(try_new, i);
		delete_tried(i);
	}
}

// Whether the program contains libstdc++: then the function that it calls is not the library's.
static bool contains_library(void)
{
	const char *name = "_ZSt15get_new_handlerv";
	void *called = operators_get_new_handler();
	if (called == dlsym(RTLD_DEFAULT, name))
		called = real_behind_entry(called, name);
	return called != real_symbol(name);
}

static void find_new(int shape, bool contained)
{
	struct real_new *n = &real_news[shape];
	void *found = contained ? NULL : real_symbol(new_names[shape]);
	n->call = found != NULL ? (new_function *)found : real_standard_new(shape);
	n->passes = found != NULL && !real_has(found);
}

static void find_delete(int shape, bool contained)
{
	struct real_delete *d = &real_deletes[shape];
	void *found = contained ? NULL : real_symbol(delete_names[shape]);
	d->call = found != NULL ? (delete_function *)found : standard_delete;
	d->passes = found != NULL && !real_has(found);
}

void real_find_operators(void)
{
	bool contained = contains_library();
	for (int i = 0; i < NEWS; i++)
		find_new(i, contained);
	for (int i = 0; i < DELETES; i++)
		find_delete(i, contained);
	if (arena_is_used()) {
		EACH_DELETE(PUT_GUARD)
	}
	dlerror(); // clears our own failed look-ups, so that the program does not see them
}

#else

void real_find_operators(void)
{
}

void real_try_operators(void)
{
}

#endif
