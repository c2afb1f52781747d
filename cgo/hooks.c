//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

// The malloc family, in front of glibc's. Because the executable defines these names, every library in the process
// calls them, libc itself included.
//
// Each hook has a fast half, which the compiler ends with a jump to glibc, and a slow half that it jumps to. The slow
// half keeps a frame pointer, and because it was jumped to, its caller is the hook's caller: the walk starts there, and
// no frame of ours is ever in a stack.

#include <errno.h>
#include <stdint.h>

#include "real.h"
#include "record.h"

// Libraries find these functions; of all else that is defined here they know nothing (-fvisibility=hidden).
#pragma GCC visibility push(default)

#define likely(x) __builtin_expect(!!(x), 1)
#define SLOW __attribute__((noinline, noclone, cold))
#define PAGE 4096

// True when the allocation needs no more than the real allocator.
#define PASSES(size) (likely(__atomic_load_n(&cgoheap_generation, __ATOMIC_RELAXED) == 0) || record_skips(size))

static SLOW void *slow_malloc(size_t size)
{
	struct registers caller = CALLER_REGISTERS();
	bool sampled = record_samples(size);
	void *p = __libc_malloc(size);
	if (sampled && p != NULL)
		record_block(p, size, &caller);
	return p;
}

void *malloc(size_t size)
{
	return PASSES(size) ? __libc_malloc(size) : slow_malloc(size);
}

static SLOW void *slow_calloc(size_t count, size_t size)
{
	struct registers caller = CALLER_REGISTERS();
	bool sampled = record_samples(count * size);
	void *p = __libc_calloc(count, size);
	if (sampled && p != NULL)
		record_block(p, count * size, &caller);
	return p;
}

void *calloc(size_t count, size_t size)
{
	size_t total;
	if (__builtin_mul_overflow(count, size, &total) || PASSES(total))
		return __libc_calloc(count, size);
	return slow_calloc(count, size);
}

static SLOW void *slow_memalign(size_t alignment, size_t size)
{
	struct registers caller = CALLER_REGISTERS();
	bool sampled = record_samples(size);
	void *p = __libc_memalign(alignment, size);
	if (sampled && p != NULL)
		record_block(p, size, &caller);
	return p;
}

void *memalign(size_t alignment, size_t size)
{
	return PASSES(size) ? __libc_memalign(alignment, size) : slow_memalign(alignment, size);
}

// glibc's aligned_alloc is its memalign, without further demands (2.36, malloc.c); from 2.38 on it refuses alignments
// that are not powers of two, which memalign rounds up.
void *aligned_alloc(size_t alignment, size_t size)
{
	return PASSES(size) ? __libc_memalign(alignment, size) : slow_memalign(alignment, size);
}

static SLOW int slow_posix_memalign(void **to, size_t alignment, size_t size)
{
	struct registers caller = CALLER_REGISTERS();
	int before = errno;
	bool sampled = record_samples(size);
	void *p = __libc_memalign(alignment, size);
	errno = before; // posix_memalign reports by its result alone
	if (p == NULL)
		return ENOMEM;
	if (sampled)
		record_block(p, size, &caller);
	*to = p;
	return 0;
}

int posix_memalign(void **to, size_t alignment, size_t size)
{
	if (alignment % sizeof(void *) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0)
		return EINVAL;
	return slow_posix_memalign(to, alignment, size);
}

static SLOW void *slow_valloc(size_t size)
{
	struct registers caller = CALLER_REGISTERS();
	bool sampled = record_samples(size);
	void *p = __libc_valloc(size);
	if (sampled && p != NULL)
		record_block(p, size, &caller);
	return p;
}

void *valloc(size_t size)
{
	return PASSES(size) ? __libc_valloc(size) : slow_valloc(size);
}

// pvalloc rounds the size up to whole pages: that is what was allocated.
static SLOW void *slow_pvalloc(size_t size)
{
	struct registers caller = CALLER_REGISTERS();
	size_t whole = (size + PAGE - 1) & ~(size_t)(PAGE - 1);
	bool sampled = record_samples(whole);
	void *p = __libc_pvalloc(size);
	if (sampled && p != NULL)
		record_block(p, whole, &caller);
	return p;
}

void *pvalloc(size_t size)
{
	if (size > SIZE_MAX - PAGE || __atomic_load_n(&cgoheap_generation, __ATOMIC_RELAXED) == 0)
		return __libc_pvalloc(size);
	return slow_pvalloc(size);
}

// realloc is a free of the old block and an allocation of the new size. The old block is forgotten before the call,
// because another thread may be given its address before the call returns.
static SLOW void *slow_realloc(void *p, size_t size)
{
	struct registers caller = CALLER_REGISTERS();
	struct forgotten old;
	bool frees = p != NULL && size == 0; // glibc frees p and gives NULL
	bool sampled = !frees && record_samples(size);
	record_forget(p, &old);
	void *q = __libc_realloc(p, size);
	if (q == NULL && !frees)
		record_restore(p, &old);
	else
		record_move(&old, sampled, q, size, &caller);
	return q;
}

void *realloc(void *p, size_t size)
{
	if (likely(__atomic_load_n(&cgoheap_generation, __ATOMIC_RELAXED) == 0))
		return __libc_realloc(p, size);
	if ((p == NULL || (size != 0 && !live_maybe(p))) && record_skips(size))
		return __libc_realloc(p, size);
	return slow_realloc(p, size);
}

void *reallocarray(void *p, size_t count, size_t size)
{
	size_t total;
	if (__builtin_mul_overflow(count, size, &total)) {
		errno = ENOMEM;
		return NULL;
	}
	if (likely(__atomic_load_n(&cgoheap_generation, __ATOMIC_RELAXED) == 0))
		return __libc_realloc(p, total);
	return slow_realloc(p, total);
}

static SLOW void slow_free(void *p)
{
	record_free(p);
	__libc_free(p);
}

static inline bool forgets(const void *p)
{
	return !likely(__atomic_load_n(&cgoheap_generation, __ATOMIC_RELAXED) == 0) && live_maybe(p);
}

void free(void *p)
{
	if (forgets(p))
		slow_free(p);
	else
		__libc_free(p);
}

void cfree(void *p)
{
	free(p);
}

// C23: the sizes are promises of the program that glibc's free does not need.
void free_sized(void *p, size_t size)
{
	(void)size;
	free(p);
}

void free_aligned_sized(void *p, size_t alignment, size_t size)
{
	(void)alignment;
	(void)size;
	free(p);
}
