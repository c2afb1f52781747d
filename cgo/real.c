//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

#include "real.h"

bool real_nests;

// Calls each function that could be made of others.
static void try_family(void)
{
	void *p = NULL;
	REAL(free)(REAL(calloc)(1, 1));
	REAL(free)(REAL(memalign)(64, 64));
	REAL(free)(REAL(aligned_alloc)(64, 64));
	REAL(free)(REAL(realloc)(NULL, 1));
	if (REAL(posix_memalign)(&p, 64, 64) == 0)
		REAL(free)(p);
}

void real_find(void)
{
	static bool trying;
	if (trying) { // the real allocator has called a hook
		real_nests = true;
		return;
	}
	if (!real_resolve())
		return;
	trying = true;
	try_family();
	gate_build();
}

// Before there can be a second thread.
__attribute__((constructor)) static void find_early(void)
{
	real_ready();
}
