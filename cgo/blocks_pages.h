// Memory of the kernel, without libc: no hook is called, and errno stays.
#ifndef CGOHEAP_BLOCKS_PAGES_H
#define CGOHEAP_BLOCKS_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "machine.h"

// Zeroes, or NULL.
static inline void *pages_map(size_t length)
{
	long at = system_call6(SYS_mmap, 0, (long)length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return at < 0 && at >= -4095 ? NULL : (void *)at;
}

static inline bool pages_unmap(void *at, size_t length)
{
	return length == 0 || system_call(SYS_munmap, (long)at, (long)length, 0, 0) == 0;
}

#endif
