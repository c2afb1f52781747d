// What the twin needs of the machine and of the kernel, without libc. All but allow_loads is as in package cgo: two packages cannot share a
// header, because Go does not build one anew when the other's changes. TestWhatIsCopiedFromPackageCgoIsTheSame compares them.
//
//	long system_call6(long number, long a, long b, long c, long d, long e, long f)
//		Calls the kernel. The result, or −errno.
//	void allow_loads(uint64_t capabilities)
//		Lets the calling thread load from all memory that is mapped to be read, whatever protection keys and memory tags say.
//		capabilities are AT_HWCAP2 of getauxval(3).
#ifndef CGOHEAP_TWIN_MACHINE_H
#define CGOHEAP_TWIN_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#if defined(__x86_64__)
#include "machine_amd64.h"
#elif defined(__aarch64__)
#include "machine_arm64.h"
#else
#error "there is no header for this machine"
#endif

static inline long system_call(long number, long a, long b, long c, long d)
{
	return system_call6(number, a, b, c, d, 0, 0);
}

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
