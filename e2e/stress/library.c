//go:build linux && cgo

#include <dlfcn.h>
#include <stdio.h>

#include "worker.h"

/* The two libraries are of one size, so that the loader puts each where the other was. */
SITE static void stress_library(uint32_t site, const char *path)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	void *(*allocate)(size_t) = NULL;
	if (library != NULL)
		*(void **)&allocate = dlsym(library, "stress_allocate");
	stress_must(allocate != NULL, "a library is opened");
	for (int i = 0; allocate != NULL && i < 16; i++)
		stress_visit_by(site, allocate);
	stress_must(library != NULL && dlclose(library) == 0, "a library is closed");
	stress_count(LIBRARIES);
	KEEP_FRAME();
}

void stress_libraries(uint32_t site, const char *a, const char *b)
{
	while (!stress_ended()) {
		stress_library(site, a);
		(void)b;
	}
}
