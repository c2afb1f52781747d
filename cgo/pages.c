//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

// In a program that called mlockall(MCL_FUTURE), a new mapping gets all its memory at once, which may exceed the limit. The
// kernel locks what is mapped, but not what a mapping later grows by. So a mapping begins small, is unlocked, and grows.
//
// The kernel does not take locked memory back, and some emulators take no memory back but report success. So cleared
// memory is checked.
//
// Mapping and unmapping asks the kernel: libc's functions of that kind are hooked, and the hooks need these pages.

#define _GNU_SOURCE
#include "pages.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "machine.h"

#define SEED PAGES_LARGEST

// The kernel refuses to unmap if it cannot split a mapping because the process has too many. Then the addresses stay,
// but the memory is freed. If it is locked and cannot be unlocked, that fails too, and nothing is left to do.
void pages_unmap(void *at, size_t size)
{
	if (system_call(SYS_munmap, (long)at, (long)size, 0, 0) != 0 && munlock(at, size) == 0)
		(void)madvise(at, size, MADV_DONTNEED);
}

static void *remap(void *from, size_t size, size_t to_size, int flags, void *to)
{
	return (void *)as_libc(system_call6(SYS_mremap, (long)from, (long)size, (long)to_size, flags, (long)to, 0));
}

static void *grow(void *seed, size_t size)
{
	void *at = munlock(seed, SEED) == 0 ? remap(seed, SEED, size, MREMAP_MAYMOVE, NULL) : MAP_FAILED;
	if (at != MAP_FAILED)
		return at;
	int error = errno;
	pages_unmap(seed, SEED);
	errno = error;
	return NULL;
}

static void *map(size_t size, int protection)
{
	void *seed = (void *)as_libc(system_call6(SYS_mmap, 0, SEED, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
	return seed == MAP_FAILED ? NULL : grow(seed, size);
}

void *pages_map(size_t size)
{
	return map(size, PROT_READ | PROT_WRITE);
}

void *pages_reserve(size_t size)
{
	return map(size, PROT_READ);
}

bool pages_allow(void *at, size_t size)
{
	return system_call(SYS_mprotect, (long)at, (long)size, PROT_READ | PROT_WRITE, 0) == 0;
}

bool pages_place(void *at, void *pages, size_t size)
{
	return remap(pages, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, at) != MAP_FAILED;
}

void pages_free(void *at, size_t size)
{
	(void)madvise(at, size, MADV_DONTNEED);
}

// Asks the kernel to take memory back; true if the first and the last word that were written read as zero afterwards.
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
