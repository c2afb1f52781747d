//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

#define _GNU_SOURCE
#include "allocators.h"

#include <dlfcn.h>
#include <string.h>

#include "real.h"

#ifndef CGOHEAP_WRAP

const void *allocators_malloc(const char **file)
{
	Dl_info at;
	const void *p = (const void *)cgoheap_real.malloc;
	*file = p != NULL && dladdr(p, &at) != 0 && at.dli_fname != NULL ? at.dli_fname : "";
	return p;
}

void *allocators_symbol(const char *name)
{
#if REAL_SANITIZED
	(void)name;
	return NULL;
#else
	void *found = real_default(name);
	return found != NULL && real_has(found) ? found : NULL;
#endif
}

#else

// Weak: a static executable has what its malloc came with.
extern int malloc_trim(size_t) __attribute__((weak));
extern void *mallinfo2(void) __attribute__((weak));
extern int mallctl(const char *, void *, size_t *, void *, size_t) __attribute__((weak));

const void *allocators_malloc(const char **file)
{
	*file = "";
	return (const void *)REAL(malloc);
}

void *allocators_symbol(const char *name)
{
	const struct {
		const char *name;
		void *function;
	} known[] = {{"malloc_trim", (void *)malloc_trim}, {"mallinfo2", (void *)mallinfo2}, {"mallctl", (void *)mallctl}};
	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
		if (strcmp(name, known[i].name) == 0)
			return known[i].function;
	return NULL;
}

#endif

bool allocators_pair(struct real_pair *real)
{
#if REAL_SANITIZED
	return false;
#else
	*real = (struct real_pair){(void *)REAL(malloc), (void *)REAL(free)};
	return real->malloc != NULL && real->free != NULL;
#endif
}

// The functions with each prefix, and the malloc behind its hook: without --wrap, nothing has that name.
#define WEAK_FUNCTIONS(package, prefix, rows, needed) \
	extern int FAMILY_JOIN(prefix, mallctl)(const char *, void *, size_t *, void *, size_t) __attribute__((weak)); \
	extern void *FAMILY_JOIN(FAMILY_JOIN(__real_, prefix), malloc)(size_t) __attribute__((weak));
FAMILY_BROUGHT(WEAK_FUNCTIONS)
FAMILY_OWN(WEAK_FUNCTIONS)

bool allocators_brought(unsigned row, struct brought_allocator *found)
{
#define ROW(package, prefix, rows, needed) \
	{FAMILY_STRING(prefix), (void *)FAMILY_JOIN(prefix, mallctl), (void *)FAMILY_JOIN(FAMILY_JOIN(__real_, prefix), malloc)},
	const struct brought_allocator all[] = {FAMILY_BROUGHT(ROW) FAMILY_OWN(ROW)};
#undef ROW
	if (row >= sizeof all / sizeof all[0])
		return false;
	*found = all[row];
	return true;
}
