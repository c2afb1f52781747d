//go:build ignore

// The part of operator new that operators_memory.cc has for a program that is linked with libstdc++, for one that may have no C++ at
// all, or opens it later: found by name when it is needed, which is when there is no memory.

#define _GNU_SOURCE
#include "operators_memory.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>

static void *find(const char *name)
{
	static const char *const libraries[] = {"libstdc++.so.6", "libc++.so.1"};
	void *found = dlsym(RTLD_DEFAULT, name);
	for (size_t i = 0; found == NULL && i < sizeof libraries / sizeof *libraries; i++) {
		void *library = dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD); // one that others cannot see
		found = library != NULL ? dlsym(library, name) : NULL;
	}
	return found;
}

void operators_out_of_memory(void)
{
	void (*(*get_handler)(void))(void) = find("_ZSt15get_new_handlerv");
	void (*handler)(void) = get_handler != NULL ? get_handler() : NULL;
	void (*fail)(void) = find("_ZSt17__throw_bad_allocv");
	if (handler != NULL)
		handler();
	else if (fail != NULL)
		fail();
	else
		abort(); // a caller of operator new knows no NULL
}

// A handler that throws cannot be caught here.
bool operators_out_of_memory_nothrow(void)
{
	return false;
}

void *operators_get_new_handler(void)
{
	return dlsym(RTLD_DEFAULT, "_ZSt15get_new_handlerv");
}
