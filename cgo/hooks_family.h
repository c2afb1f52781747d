// The hooks of a family, which family.h names. A file that includes this header defines them: hooks.c defines the hooks
// of the program's malloc and the rest of its family.
//
// Each hook has a fast half, which the compiler ends with a jump to the real function, and a slow half that it jumps to.
// The slow half keeps a frame pointer, and because it was jumped to, its caller is the hook's caller: the walk starts
// there, and no frame of ours is ever in a stack.
#ifndef CGOHEAP_HOOKS_FAMILY_H
#define CGOHEAP_HOOKS_FAMILY_H

#include <errno.h>
#include <stdint.h>
#include <sys/auxv.h>

#include "hooks.h"

// A hook without a row in family.h does not compile.
#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wmissing-prototypes"

// Libraries find these functions, and nothing else that is defined here (-fvisibility=hidden).
#pragma GCC visibility push(default)

// A program that contains an allocator of its own, from an archive or an object file, keeps it: the hooks give way, and Start
// refuses.
#ifdef CGOHEAP_WRAP
#define GIVES_WAY
#else
#define GIVES_WAY __attribute__((weak))
#endif
#define HOOK_DECLARATION(does, result, name, parameters, trial) result HOOK(name) parameters GIVES_WAY;
FAMILY_FOUND(HOOK_DECLARATION)
FAMILY_MADE(HOOK_DECLARATION)

// For functions that the real allocator may implement with others of the family, which are hooked as well: while
// recording, only a slow half can keep the inner calls from being counted too.
#define SKIPS_WHOLE(size) (!(FAMILY_NESTS) && record_skips(generation, size))

static SLOW void *slow_malloc(size_t size)
{
	struct registers caller = CALLER_REGISTERS();
	uint64_t interval = count_down(size);
	void *p = REAL(malloc)(size);
	if (interval != 0 && p != NULL)
		record_block(&(struct allocation){p, size, interval, &caller});
	return p;
}

void *HOOK(malloc)(size_t size)
{
	END_HOOK(SKIPS(size), REAL(malloc)(size), slow_malloc(size));
}

static void *no_memory(void)
{
	errno = ENOMEM;
	return NULL;
}

static SLOW void *slow_calloc(size_t count, size_t size)
{
	struct registers caller = CALLER_REGISTERS();
	uint64_t interval = count_down(count * size);
	uint64_t countdown = begin_real(FAMILY_NESTS);
	void *p = REAL(calloc)(count, size);
	end_real(countdown);
	if (interval != 0 && p != NULL)
		record_block(&(struct allocation){p, count * size, interval, &caller});
	return p;
}

void *HOOK(calloc)(size_t count, size_t size)
{
	size_t total;
	if (__builtin_mul_overflow(count, size, &total))
		return no_memory();
	END_HOOK(SKIPS_WHOLE(total), REAL(calloc)(count, size), slow_calloc(count, size));
}

static SLOW void *slow_memalign(size_t alignment, size_t size)
{
	struct registers caller = CALLER_REGISTERS();
	uint64_t interval = count_down(size);
	uint64_t countdown = begin_real(FAMILY_NESTS);
	void *p = REAL(memalign)(alignment, size);
	end_real(countdown);
	if (interval != 0 && p != NULL)
		record_block(&(struct allocation){p, size, interval, &caller});
	return p;
}

void *HOOK(memalign)(size_t alignment, size_t size)
{
	END_HOOK(SKIPS_WHOLE(size), REAL(memalign)(alignment, size), slow_memalign(alignment, size));
}

static SLOW void *slow_aligned_alloc(size_t alignment, size_t size)
{
	struct registers caller = CALLER_REGISTERS();
	uint64_t interval = count_down(size);
	uint64_t countdown = begin_real(FAMILY_NESTS);
	void *p = REAL(aligned_alloc)(alignment, size);
	end_real(countdown);
	if (interval != 0 && p != NULL)
		record_block(&(struct allocation){p, size, interval, &caller});
	return p;
}

void *HOOK(aligned_alloc)(size_t alignment, size_t size)
{
	END_HOOK(SKIPS_WHOLE(size), REAL(aligned_alloc)(alignment, size), slow_aligned_alloc(alignment, size));
}

static SLOW int slow_posix_memalign(void **to, size_t alignment, size_t size)
{
	struct registers caller = CALLER_REGISTERS();
	uint64_t interval = count_down(size);
	uint64_t countdown = begin_real(FAMILY_NESTS);
	int failed = REAL(posix_memalign)(to, alignment, size);
	end_real(countdown);
	if (interval != 0 && failed == 0)
		record_block(&(struct allocation){*to, size, interval, &caller});
	return failed;
}

int HOOK(posix_memalign)(void **to, size_t alignment, size_t size)
{
	END_HOOK(SKIPS_WHOLE(size), REAL(posix_memalign)(to, alignment, size), slow_posix_memalign(to, alignment, size));
}

// Not every allocator has valloc and pvalloc. The page size is the kernel's.
#if !FAMILY_SIZED
void *HOOK(valloc)(size_t size)
{
	return HOOK(memalign)(getauxval(AT_PAGESZ), size);
}
#endif

// pvalloc allocates whole pages. A size that cannot be rounded up is left as it is, to be refused.
void *HOOK(pvalloc)(size_t size)
{
	size_t page = getauxval(AT_PAGESZ);
	size_t whole = (size + page - 1) & ~(page - 1);
	return HOOK(memalign)(page, whole < size ? size : whole);
}

// realloc is a free of the old block and an allocation of the new size. The old block is forgotten before the call,
// because another thread may be given its address before the call returns.
static SLOW void *slow_realloc(void *p, size_t size)
{
	struct registers caller = CALLER_REGISTERS();
	struct forgotten old;
	uint64_t interval = count_down(size);
	record_forget(p, &old);
	uint64_t countdown = begin_real(FAMILY_NESTS);
	void *q = REAL(realloc)(p, size);
	end_real(countdown);
	// For size 0, glibc and others free p and return NULL; some return a block.
	if (q == NULL && size != 0)
		record_restore(p, &old);
	else
		record_move(&old, &(struct allocation){q, size, q != NULL ? interval : 0, &caller});
	return q;
}

static inline bool keeps(uint32_t generation, const void *p, size_t size)
{
	return !gate_unbuilt(generation) && (p == NULL || (size != 0 && !live_maybe(p)));
}

void *HOOK(realloc)(void *p, size_t size)
{
	END_HOOK(keeps(generation, p, size) && SKIPS_WHOLE(size), REAL(realloc)(p, size), slow_realloc(p, size));
}

void *HOOK(reallocarray)(void *p, size_t count, size_t size)
{
	size_t total;
	if (__builtin_mul_overflow(count, size, &total))
		return no_memory();
	return HOOK(realloc)(p, total);
}

static SLOW void slow_free(void *p)
{
	hooks_ready();
	__builtin_prefetch((const void *)((uintptr_t)p - 16), 1); // most allocators keep what free reads first there
	record_free(p);
	REAL(free)(p);
}

void HOOK(free)(void *p)
{
	END_HOOK(!gate_unbuilt(generation) && !live_maybe(p), REAL(free)(p), slow_free(p));
}

void HOOK(cfree)(void *p)
{
	HOOK(free)(p);
}

// C23: the sizes are promises of the program that free does not need.
void HOOK(free_sized)(void *p, size_t size)
{
	(void)size;
	HOOK(free)(p);
}

void HOOK(free_aligned_sized)(void *p, size_t alignment, size_t size)
{
	(void)alignment;
	(void)size;
	HOOK(free)(p);
}

#if FAMILY_SIZED
// Hooked only because of the arena's blocks, which no other allocator knows.
size_t HOOK(malloc_usable_size)(void *p)
{
	hooks_ready();
	return REAL(malloc_usable_size)(p);
}
#endif

#pragma GCC visibility pop
#pragma GCC diagnostic pop

#endif
