//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

#include "real.h"

bool real_nests;

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
	REAL(free)(REAL(calloc)(1, 1)); // an allocator that makes functions of others makes this one
	gate_build();
}

// Before there can be a second thread.
__attribute__((constructor)) static void find_early(void)
{
	real_ready();
}
