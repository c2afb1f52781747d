//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

// The malloc family, in front of the real allocator (real.h). Because the executable defines these names, every library
// in the process calls them, libc itself included.

#include "hooks.h"

#include "record_mapped.h"

#if defined(CGOHEAP_WRAP) || !REAL_SANITIZED

#include "hooks_family.h"

#endif

#if defined(CGOHEAP_WRAP) || REAL_SANITIZED
#define OWN_MALLOC NULL
#else
#if __has_attribute(copy) // gcc gives malloc attributes that its alias must have too
#define AS_MALLOC alias("malloc"), copy(malloc)
#else
#define AS_MALLOC alias("malloc")
#endif
// Our own malloc. In a library, the name malloc may mean another object's.
static void *own_malloc(size_t size) __attribute__((AS_MALLOC));
#define OWN_MALLOC ((const void *)own_malloc)
#endif

void hooks_find(void)
{
	real_find(OWN_MALLOC);
}

// Mostly runs before there can be a second thread, which could get a block of the arena while it stands in, and free it
// afterwards. In a library, Go's own constructor starts a thread, and has no priority.
__attribute__((constructor(101))) static void find_early(void)
{
	real_try(OWN_MALLOC);
	mapping_know_go();
}
