//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

// The malloc family, in front of the real allocator (real.h). Because the executable defines these names, every library
// in the process calls them, libc itself included.

#include "hooks.h"

#include <sys/mman.h>

#include "record_mapped.h"

#if defined(CGOHEAP_WRAP) || !REAL_SANITIZED

#include "hooks_family.h"

#endif

#if defined(CGOHEAP_WRAP) || REAL_SANITIZED
#define OWN_MALLOC NULL
#define LISTS NULL, NULL
#else
#if __has_attribute(copy) // gcc gives malloc attributes that its alias must have too
#define AS(name) alias(#name), copy(name)
#else
#define AS(name) alias(#name)
#endif
// Our own functions. Their names may mean another's: of another object, or of one that a hook gave way to.
#define OWN(does, result, name, parameters, trial) static result own_##name parameters __attribute__((AS(name)));
FAMILY_REAL(OWN)
#define OWN_MALLOC ((const void *)own_malloc)

#define LINKED(does, result, name, parameters, trial) {(const void *)own_##name, (const void *)name},
static const volatile struct linked linked[] = {FAMILY_REAL(LINKED){NULL, NULL}};
#define LISTS linked, cgoheap_linked_mapped
#endif

void hooks_find(void)
{
	real_find(OWN_MALLOC);
}

static void *map(size_t length)
{
	return mmap(NULL, length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

bool hooks_know_go(void)
{
	return mapping_know_go(map);
}

// Mostly runs before there can be a second thread, which could get a block of the arena while it stands in, and free it
// afterwards. In a library, Go's own constructor starts a thread, and has no priority.
__attribute__((constructor(101))) static void find_early(void)
{
	real_try(OWN_MALLOC, LISTS);
	hooks_know_go();
}
