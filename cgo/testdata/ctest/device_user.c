// A library of a program that has devices: it calls the driver's functions, and looks functions up for which it matters who asks.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

#define EXPORTED __attribute__((visibility("default")))

#if defined(FIRST) || defined(SECOND)
// Two libraries have these, and ask for the next ones.
EXPORTED void *next_of(const char *name)
{
	void *volatile found = dlsym(RTLD_NEXT, name);
	return found;
}
#endif

#ifdef FIRST
EXPORTED int cu_number(void)
{
	return 1;
}

EXPORTED int one_number(void)
{
	return 1;
}

// No driver's: this library has no cuInit.
EXPORTED int cuMemAlloc_v2(uint64_t *to, size_t bytes)
{
	*to = bytes;
	return 77;
}

EXPORTED void *default_of(const char *name)
{
	void *volatile found = dlsym(RTLD_DEFAULT, name);
	return found;
}
#elif defined(SECOND)
EXPORTED int cu_number(void)
{
	return 2;
}

EXPORTED int one_number(void)
{
	return 2;
}

EXPORTED int cuMemFree_v2(uint64_t p)
{
	return (int)p + 1;
}
#else
int cuMemAlloc_v2(uint64_t *to, size_t bytes);
int cuMemFree_v2(uint64_t p);

EXPORTED int user_allocates(uint64_t *to, size_t bytes)
{
	return cuMemAlloc_v2(to, bytes);
}

EXPORTED int user_frees(uint64_t p)
{
	return cuMemFree_v2(p);
}
#endif
