//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

// A program that called mlockall(MCL_FUTURE) has all memory of a new mapping at once, and may have no more than its limit.
// Only what is mapped is locked, not what a mapping grows by. So a mapping begins small, is unlocked, and grows.
//
// Of locked memory the kernel takes nothing back, and some emulators take nothing back and say that they did. So what was
// to be cleared is looked at.

#define _GNU_SOURCE
#include "pages.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>

#define SEED (64 << 10) // the largest page that kernels have for these machines

static void *grow(void *seed, size_t size)
{
	void *at = munlock(seed, SEED) == 0 ? mremap(seed, SEED, size, MREMAP_MAYMOVE) : MAP_FAILED;
	if (at != MAP_FAILED)
		return at;
	int error = errno;
	munmap(seed, SEED);
	errno = error;
	return NULL;
}

void *pages_map(size_t size)
{
	void *seed = mmap(NULL, SEED, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return seed == MAP_FAILED ? NULL : grow(seed, size);
}

// What the kernel takes back reads as zero, at the beginning and at the end of what was written.
static bool take_back(uint64_t *first, size_t size, uint64_t *last)
{
	__atomic_store_n(first, 1, __ATOMIC_RELAXED);
	__atomic_store_n(last, 1, __ATOMIC_RELAXED);
	munlock(first, size); // if it fails, so does madvise
	if (madvise(first, size, MADV_DONTNEED) != 0)
		return false;
	return __atomic_load_n(first, __ATOMIC_RELAXED) == 0 && __atomic_load_n(last, __ATOMIC_RELAXED) == 0;
}

void pages_clear(void *at, size_t size, size_t used)
{
	uint64_t *words = at, *end = words + (used + 7) / 8;
	if (used == 0 || take_back(words, size, end - 1))
		return;
	while (words < end)
		__atomic_store_n(words++, 0, __ATOMIC_RELAXED);
}
