//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

// The malloc family, in front of the real allocator (real.h). Because the executable defines these names, every library
// in the process calls them, libc itself included.
//
// Each hook has a fast half, which the compiler ends with a jump to the real function, and a slow half that it jumps to.
// The slow half keeps a frame pointer, and because it was jumped to, its caller is the hook's caller: the walk starts
// there, and no frame of ours is ever in a stack.

#include <errno.h>
#include <stdint.h>
#include <sys/auxv.h>

#include "real.h"
#include "record.h"

// Libraries find these functions; of all else that is defined here they know nothing (-fvisibility=hidden).
#pragma GCC visibility push(default)

#define likely(x) __builtin_expect(!!(x), 1)
#define SLOW __attribute__((noinline, noclone, cold))

#define GENERATION() __atomic_load_n(&cgoheap_generation, __ATOMIC_RELAXED)

// True when the allocation needs no more than the real allocator.
#define PASSES(size) (likely(GENERATION() == 0) || record_skips(size))

// The same for functions that the real allocator may make of others of the family, which are hooked as well: while
// recording, only a slow half can keep those from being counted too.
#define PASSES_WHOLE(size) (likely(GENERATION() == 0) || (!real_nests && record_skips(size)))

// record_samples, for slow halves, which must find the real allocator first.
static inline bool samples(size_t size)
{
	real_ready();
	return record_samples(size);
}

// What the real allocator calls of the family between the two is a part of its work, and passes.
static inline uint64_t begin_real(void)
{
	uint64_t countdown = cgoheap_thread.countdown;
	cgoheap_thread.countdown = UINT64_MAX;
	return countdown;
}

static inline void end_real(uint64_t countdown)
{
	if (cgoheap_thread.countdown > UINT64_MAX / 2) // otherwise a new recording has begun meanwhile, and drawn its own
		cgoheap_thread.countdown = countdown;
}

static SLOW void *slow_malloc(size_t size)
{
	struct registers caller = CALLER_REGISTERS();
	bool sampled = samples(size);
	void *p = REAL(malloc)(size);
	if (sampled && p != NULL)
		record_block(p, size, &caller);
	return p;
}

void *HOOK(malloc)(size_t size)
{
	return PASSES(size) ? REAL(malloc)(size) : slow_malloc(size);
}

static void *no_memory(void)
{
	errno = ENOMEM;
	return NULL;
}

static SLOW void *slow_calloc(size_t count, size_t size)
{
	struct registers caller = CALLER_REGISTERS();
	bool sampled = samples(count * size);
	uint64_t countdown = begin_real();
	void *p = REAL(calloc)(count, size);
	end_real(countdown);
	if (sampled && p != NULL)
		record_block(p, count * size, &caller);
	return p;
}

void *HOOK(calloc)(size_t count, size_t size)
{
	size_t total;
	if (__builtin_mul_overflow(count, size, &total))
		return no_memory();
	return PASSES_WHOLE(total) ? REAL(calloc)(count, size) : slow_calloc(count, size);
}

static SLOW void *slow_memalign(size_t alignment, size_t size)
{
	struct registers caller = CALLER_REGISTERS();
	bool sampled = samples(size);
	uint64_t countdown = begin_real();
	void *p = REAL(memalign)(alignment, size);
	end_real(countdown);
	if (sampled && p != NULL)
		record_block(p, size, &caller);
	return p;
}

void *HOOK(memalign)(size_t alignment, size_t size)
{
	return PASSES_WHOLE(size) ? REAL(memalign)(alignment, size) : slow_memalign(alignment, size);
}

static SLOW void *slow_aligned_alloc(size_t alignment, size_t size)
{
	struct registers caller = CALLER_REGISTERS();
	bool sampled = samples(size);
	uint64_t countdown = begin_real();
	void *p = REAL(aligned_alloc)(alignment, size);
	end_real(countdown);
	if (sampled && p != NULL)
		record_block(p, size, &caller);
	return p;
}

void *HOOK(aligned_alloc)(size_t alignment, size_t size)
{
	return PASSES_WHOLE(size) ? REAL(aligned_alloc)(alignment, size) : slow_aligned_alloc(alignment, size);
}

static SLOW int slow_posix_memalign(void **to, size_t alignment, size_t size)
{
	struct registers caller = CALLER_REGISTERS();
	bool sampled = samples(size);
	uint64_t countdown = begin_real();
	int failed = REAL(posix_memalign)(to, alignment, size);
	end_real(countdown);
	if (sampled && failed == 0)
		record_block(*to, size, &caller);
	return failed;
}

int HOOK(posix_memalign)(void **to, size_t alignment, size_t size)
{
	return PASSES_WHOLE(size) ? REAL(posix_memalign)(to, alignment, size) : slow_posix_memalign(to, alignment, size);
}

// Not every allocator has valloc and pvalloc; the page's size is the kernel's.
void *HOOK(valloc)(size_t size)
{
	return HOOK(memalign)(getauxval(AT_PAGESZ), size);
}

// Whole pages are what was allocated. A size that cannot be rounded up is left as it is, to be refused.
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
	bool sampled = samples(size);
	record_forget(p, &old);
	uint64_t countdown = begin_real();
	void *q = REAL(realloc)(p, size);
	end_real(countdown);
	// Of size 0, glibc and others free p and give NULL; some give a block.
	if (q == NULL && size != 0)
		record_restore(p, &old);
	else
		record_move(&old, sampled && q != NULL, q, size, &caller);
	return q;
}

void *HOOK(realloc)(void *p, size_t size)
{
	uint32_t generation = GENERATION();
	if (likely(generation == 0))
		return REAL(realloc)(p, size);
	if (gate_unbuilt(generation) || (p != NULL && (size == 0 || live_maybe(p))) || real_nests || !record_skips(size))
		return slow_realloc(p, size);
	return REAL(realloc)(p, size);
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
	real_ready();
	record_free(p);
	REAL(free)(p);
}

static inline bool forgets(const void *p)
{
	uint32_t generation = GENERATION();
	return !likely(generation == 0) && (gate_unbuilt(generation) || live_maybe(p));
}

void HOOK(free)(void *p)
{
	if (forgets(p))
		slow_free(p);
	else
		REAL(free)(p);
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
