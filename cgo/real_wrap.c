//go:build linux && (amd64 || arm64) && cgo && !asan && !msan && cgoheap_wrap

// With -Wl,--wrap there is nothing to find: the linker has bound both sides.

#include "real.h"

bool real_resolve(void)
{
	return true;
}
