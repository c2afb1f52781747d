//go:build linux && (amd64 || arm64) && cgo && !asan && !msan && cgoheap_operators && !cgoheap_wrap

// Hooks for operator new and delete. libstdc++ makes them of malloc and free, but jemalloc, tcmalloc and mimalloc have
// their own, which go past the family. Those are recorded here; for operators of any other object, which may hold pools
// of their own, the hooks are a jump, and what they take from malloc is recorded there. The hooks are weak: a program
// that defines operators keeps them, each for itself.
//
// A program that contains libstdc++ finds no operators behind the hooks, because the linker takes these instead: then
// the standard's are made here.
//
// All shapes of new take a size and up to two more words, all shapes of delete a pointer and up to two more; words that
// a shape does not have are passed on unseen. An exception of the real operator passes through the slow half, which holds
// nothing then (-fexceptions).

#define _GNU_SOURCE
#include "operators.h"

#include <dlfcn.h>

#include "hooks.h"
#include "real_arena.h"

#if !REAL_SANITIZED

// Those with an alignment come last.
#define EACH_NEW(SHAPE)                                                                                                \
	SHAPE(NEW, _Znwm)                                                                                              \
	SHAPE(NEW_ARRAY, _Znam)                                                                                        \
	SHAPE(NEW_NOTHROW, _ZnwmRKSt9nothrow_t)                                                                        \
	SHAPE(NEW_ARRAY_NOTHROW, _ZnamRKSt9nothrow_t)                                                                  \
	SHAPE(NEW_ALIGNED, _ZnwmSt11align_val_t)                                                                       \
	SHAPE(NEW_ARRAY_ALIGNED, _ZnamSt11align_val_t)                                                                 \
	SHAPE(NEW_ALIGNED_NOTHROW, _ZnwmSt11align_val_tRKSt9nothrow_t)                                                 \
	SHAPE(NEW_ARRAY_ALIGNED_NOTHROW, _ZnamSt11align_val_tRKSt9nothrow_t)

// The partners of those above come first, in their order.
#define EACH_DELETE(SHAPE)                                                                                             \
	SHAPE(DELETE, _ZdlPv)                                                                                          \
	SHAPE(DELETE_ARRAY, _ZdaPv)                                                                                    \
	SHAPE(DELETE_NOTHROW, _ZdlPvRKSt9nothrow_t)                                                                    \
	SHAPE(DELETE_ARRAY_NOTHROW, _ZdaPvRKSt9nothrow_t)                                                              \
	SHAPE(DELETE_ALIGNED, _ZdlPvSt11align_val_t)                                                                   \
	SHAPE(DELETE_ARRAY_ALIGNED, _ZdaPvSt11align_val_t)                                                             \
	SHAPE(DELETE_ALIGNED_NOTHROW, _ZdlPvSt11align_val_tRKSt9nothrow_t)                                             \
	SHAPE(DELETE_ARRAY_ALIGNED_NOTHROW, _ZdaPvSt11align_val_tRKSt9nothrow_t)                                       \
	SHAPE(DELETE_SIZED, _ZdlPvm)                                                                                   \
	SHAPE(DELETE_ARRAY_SIZED, _ZdaPvm)                                                                             \
	SHAPE(DELETE_SIZED_ALIGNED, _ZdlPvmSt11align_val_t)                                                            \
	SHAPE(DELETE_ARRAY_SIZED_ALIGNED, _ZdaPvmSt11align_val_t)

#define AS_CONSTANT(shape, symbol) shape,
#define AS_NAME(shape, symbol) #symbol,

enum { EACH_NEW(AS_CONSTANT) NEWS };
enum { EACH_DELETE(AS_CONSTANT) DELETES };

static const char new_names[NEWS][40] = {EACH_NEW(AS_NAME)};
static const char delete_names[DELETES][40] = {EACH_DELETE(AS_NAME)};

typedef void *new_function(size_t size, uintptr_t a, uintptr_t b);
typedef void delete_function(void *p, uintptr_t a, uintptr_t b);

struct real_new {
	new_function *call;
	bool passes; // not recorded here
};

struct real_delete {
	delete_function *call;
	bool passes;
};

static struct real_new news[NEWS];
static struct real_delete deletes[DELETES];

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

// Not a table of addresses, because it is needed before there are relocations.
static new_function *standard(int shape)
{
	bool nothrow = shape % 4 >= NEW_NOTHROW;
	if (shape >= NEW_ALIGNED)
		return nothrow ? standard_new_aligned_nothrow : standard_new_aligned;
	return nothrow ? standard_new_nothrow : standard_new;
}

// The operators behind those that keep the arena's blocks from them.
static delete_function *guarded[DELETES];

#define GUARD(shape, symbol)                                                                                           \
	static void guard_##shape(void *p, uintptr_t a, uintptr_t b)                                                   \
	{                                                                                                              \
		if (!arena_has(p))                                                                                     \
			guarded[shape](p, a, b);                                                                       \
	}

EACH_DELETE(GUARD)

#define PUT_GUARD(shape, symbol) guarded[shape] = deletes[shape].call, deletes[shape].call = guard_##shape;

static const char nothrow; // stands for std::nothrow, whose address says nothing
static void *tried;

static void try_new(int shape)
{
	uintptr_t last = (uintptr_t)&nothrow;
	tried = shape < NEW_ALIGNED ? news[shape].call(64, last, 0) : news[shape].call(64, 64, last);
}

static void delete_tried(int shape)
{
	uintptr_t last = (uintptr_t)&nothrow;
	if (shape < NEW_ALIGNED)
		deletes[shape].call(tried, last, 0);
	else
		deletes[shape].call(tried, 64, last);
}

// An allocator may make its operators of its malloc under the name that others call, which is hooked. For new alone:
// jemalloc's delete calls free so, and its new does not call malloc.
static void try_all(void)
{
	for (int i = 0; i < NEWS; i++) {
		if (news[i].passes || news[i].call == standard(i))
			continue;
		news[i].passes = real_calls_hooks(try_new, i);
		delete_tried(i);
	}
}

// The program contains libstdc++ if what it calls is not the library's.
static bool contains_library(void)
{
	return real_symbol("_ZSt15get_new_handlerv") != operators_get_new_handler();
}

static void find_new(int shape, bool contained)
{
	struct real_new *n = &news[shape];
	void *found = contained ? NULL : real_symbol(new_names[shape]);
	n->call = found != NULL ? (new_function *)found : standard(shape);
	n->passes = found != NULL && !real_has(found);
}

static void find_delete(int shape, bool contained)
{
	struct real_delete *d = &deletes[shape];
	void *found = contained ? NULL : real_symbol(delete_names[shape]);
	d->call = found != NULL ? (delete_function *)found : standard_delete;
	d->passes = found != NULL && !real_has(found);
}

void operators_find(void)
{
	bool contained = contains_library();
	for (int i = 0; i < NEWS; i++)
		find_new(i, contained);
	for (int i = 0; i < DELETES; i++)
		find_delete(i, contained);
	try_all();
	if (arena_is_used()) {
		EACH_DELETE(PUT_GUARD)
	}
	dlerror(); // what was not found is no error of the program's
}

static SLOW void *slow_new(size_t size, uintptr_t a, uintptr_t b, int shape)
{
	struct registers caller = CALLER_REGISTERS();
	uint64_t gap = samples(size);
	void *p = (news[shape].call != NULL ? news[shape].call : standard(shape))(size, a, b);
	if (gap != 0 && p != NULL)
		record_block(&(struct allocation){p, size, gap, &caller});
	return p;
}

static SLOW void slow_delete(void *p, uintptr_t a, uintptr_t b, int shape)
{
	real_ready();
	record_free(p);
	(deletes[shape].call != NULL ? deletes[shape].call : standard_delete)(p, a, b);
}

#define HOOK_NEW(shape, symbol)                                                                                        \
	__attribute__((weak, visibility("default"))) void *symbol(size_t size, uintptr_t a, uintptr_t b)               \
	{                                                                                                              \
		END_HOOK(news[shape].passes || SKIPS(size), news[shape].call(size, a, b), slow_new(size, a, b, shape)); \
	}

#define KEEPS(p) (!gate_unbuilt(generation) && !live_maybe(p))

#define HOOK_DELETE(shape, symbol)                                                                                     \
	__attribute__((weak, visibility("default"))) void symbol(void *p, uintptr_t a, uintptr_t b)                    \
	{                                                                                                              \
		END_HOOK(deletes[shape].passes || KEEPS(p), deletes[shape].call(p, a, b), slow_delete(p, a, b, shape)); \
	}

EACH_NEW(HOOK_NEW)
EACH_DELETE(HOOK_DELETE)

#endif
