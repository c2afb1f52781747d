// Hooks for the family of family_other.c: in a library, whose functions they find as the next of their names, or in the same
// executable, linked with --wrap (CGOHEAP_WRAP).
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>

#include "family_other.h"

#define FAMILY_NAME(f) OTHER_NAME(f)
#define FAMILY_TABLE other_real
#define FAMILY_NESTS true

#include "../../hooks_family.h"

#ifndef CGOHEAP_WRAP

struct real other_real;

static void *next(const void *unused, const char *name)
{
	(void)unused;
	return dlsym(RTLD_NEXT, name);
}

__attribute__((constructor)) static void find_other(void)
{
	family_find(&other_real, next, NULL);
	if (!family_complete(&other_real))
		abort();
}

#endif
