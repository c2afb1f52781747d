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

// An allocator that makes functions of others makes this one.
static void try_calloc(int unused)
{
	(void)unused;
	REAL(free)(REAL(calloc)(1, 1));
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
	real_nests = real_calls_hooks(try_calloc, 0);
#if OPERATORS
	operators_find();
#endif
	gate_build();
}

// Before there can be a second thread.
__attribute__((constructor)) static void find_early(void)
{
	real_ready();
}
