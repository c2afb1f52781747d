//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

#include "real.h"

#if defined(CGOHEAP_OPERATORS) && !REAL_SANITIZED
#define OPERATORS 1
#include "operators.h"
#else
#define OPERATORS 0
#endif

bool real_nests;

static bool trying, called;

bool real_calls_hooks(void (*trial)(int), int which)
{
	called = false;
	trial(which);
	return called;
}

// Every function that could be made of others.
static void try_family(int unused)
{
	void *p;
	(void)unused;
	REAL(free)(REAL(realloc)(REAL(calloc)(1, 1), 1 << 16));
	REAL(free)(REAL(memalign)(64, 64));
	REAL(free)(REAL(aligned_alloc)(64, 64));
	if (REAL(posix_memalign)(&p, 64, 64) == 0)
		REAL(free)(p);
}

void real_find(void)
{
	if (trying) { // a real function has called a hook
		called = true;
		return;
	}
	if (!real_resolve())
		return;
	trying = true;
	real_nests = real_calls_hooks(try_family, 0);
#if OPERATORS
	operators_find();
#endif
	gate_build();
}

// Before there can be a second thread, which could be given a block of the arena while it stands in, and free it afterwards:
// in a library, Go's own constructor starts one, and has no priority.
__attribute__((constructor(101))) static void find_early(void)
{
	real_ready();
}
