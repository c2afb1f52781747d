//go:build linux && (amd64 || arm64) && cgo && !asan && !msan && !cgoheap_wrap

// A block is never reused. Before it stands what glibc has before a block that was mapped for itself, so that its
// malloc_usable_size is right. Everything here may run before the executable's own relocations are done, so it calls no libc and
// reads no address from memory.

#include "real_arena.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#define ARENA (256 << 10)
#define ALIGN 16
#define HEADER 16 // of glibc's, which counts it
#define MAPPED 2

static _Alignas(4096) char arena[ARENA];
static size_t used;

// The functions behind the guards.
static struct real guarded;

bool arena_has(const void *p)
{
	return (uintptr_t)p - (uintptr_t)arena < ARENA;
}

static size_t arena_malloc_usable_size(void *p)
{
	return p == NULL ? 0 : ((const size_t *)p)[-1] - MAPPED - HEADER;
}

static void *arena_memalign(size_t alignment, size_t size)
{
	size_t align = alignment < ALIGN ? ALIGN : alignment, whole = (size + ALIGN - 1) & ~(size_t)(ALIGN - 1);
	uintptr_t p = ((uintptr_t)arena + used + HEADER + align - 1) & ~(align - 1);
	if ((align & (align - 1)) != 0 || !arena_has((void *)p) || whole < size || whole >= (uintptr_t)arena + ARENA - p)
		return NULL;
	used = p + whole - (uintptr_t)arena;
	((size_t *)p)[-1] = whole + HEADER + MAPPED;
	return (void *)p;
}

#define arena_aligned_alloc arena_memalign

static void *arena_malloc(size_t size)
{
	return arena_memalign(ALIGN, size);
}

static void *arena_calloc(size_t count, size_t size)
{
	return arena_malloc(count * size); // the hook has checked for overflow; the arena is zero, and no byte is used twice
}

static int arena_posix_memalign(void **to, size_t alignment, size_t size)
{
	void *p = arena_memalign(alignment, size);
	if (p == NULL)
		return ENOMEM;
	*to = p;
	return 0;
}

static void copy(volatile char *to, const char *from, size_t size)
{
	while (size-- > 0)
		*to++ = *from++;
}

// Copies a block of the arena to fresh, or leaves it where it is if fresh is NULL.
static void *move(void *p, void *fresh, size_t size)
{
	if (p != NULL && fresh != NULL)
		copy(fresh, p, size < arena_malloc_usable_size(p) ? size : arena_malloc_usable_size(p));
	return fresh;
}

static void *arena_realloc(void *p, size_t size)
{
	return move(p, arena_malloc(size), size);
}

static void arena_free(void *p)
{
	(void)p;
}

void arena_stand_in(volatile struct real *r)
{
#define STAND_IN(does, result, name, parameters, trial) r->name = arena_##name;
	FAMILY_FOUND(STAND_IN)
#undef STAND_IN
}

static void guarded_free(void *p)
{
	if (!arena_has(p))
		guarded.free(p);
}

static void *guarded_realloc(void *p, size_t size)
{
	if (!arena_has(p))
		return guarded.realloc(p, size);
	return size == 0 ? NULL : move(p, guarded.malloc(size), size);
}

static size_t guarded_malloc_usable_size(void *p)
{
	return arena_has(p) ? arena_malloc_usable_size(p) : guarded.malloc_usable_size(p);
}

bool arena_is_used(void)
{
	return used != 0;
}

// Each function that takes a block gets a guard.
#define GUARD_GIVES(name)
#define GUARD_STORES(name)
#define GUARD_RESIZES(name) r->name = guarded_##name;
#define GUARD_TAKES(name) r->name = guarded_##name;
#define GUARD(does, result, name, parameters, trial) GUARD_##does(name)

void arena_guard(struct real *r)
{
	if (!arena_is_used())
		return;
	guarded = *r;
	FAMILY_FOUND(GUARD)
}
