//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

// The next functions in the order in which the loader searches, whichever object has the malloc: so no two objects that hook
// them lead to each other. Where there are none behind ours, as in a static executable that was linked without --wrap, the watch stays
// unbuilt, and the hooks call the kernel.

#define _GNU_SOURCE
#include "real_mapped.h"

#include <dlfcn.h>

#include "mapped_calls.h"
#include "real.h"
#include "real_objects.h"

#ifdef CGOHEAP_WRAP

void real_find_mapped(void)
{
	__atomic_store_n(&cgoheap_mapped_watch, 0, __ATOMIC_RELEASE);
}

bool real_find_break(void)
{
	return true;
}

#else

struct real_mapped cgoheap_real_mapped;

// glibc's own names for them, which a static executable has. musl's functions always fail.
extern int __brk(void *) __attribute__((weak));
extern void *__sbrk(intptr_t) __attribute__((weak));

// An allocator that is being set up may ask, with a lock in its hand. dlsym may allocate: glibc's does before 2.34, and for a
// name that is not there.
bool real_find_break(void)
{
	if (real_look_up == NULL)
		return false;
	if (real_alone()) {
		cgoheap_real_mapped.brk = __brk;
		cgoheap_real_mapped.sbrk = __sbrk;
		return __brk != NULL && __sbrk != NULL;
	}
	cgoheap_real_mapped.brk = real_after(&cgoheap_real_mapped, "brk");
	cgoheap_real_mapped.sbrk = real_after(&cgoheap_real_mapped, "sbrk");
	return cgoheap_real_mapped.brk != NULL && cgoheap_real_mapped.sbrk != NULL;
}

void real_find_mapped(void)
{
	bool complete = true;
	if (real_alone())
		return;
#define FIND(does, result, name, parameters)                                                                           \
	cgoheap_real_mapped.name = real_look_up(RTLD_NEXT, #name);                                                     \
	complete &= cgoheap_real_mapped.name != NULL;
	MAPPED_REAL(FIND)
#undef FIND
	if (complete)
		__atomic_store_n(&cgoheap_mapped_watch, 0, __ATOMIC_RELEASE);
}

#endif
