#include <dlfcn.h>
#include <unistd.h>

#include "worker.h"

/* The two libraries have the same size, so that the loader puts each where the other was. Most are closed before the
   list of libraries is read again; some stay until they are in it. */
SITE static void stress_library(uint32_t site, const char *path)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	void *(*allocate)(size_t) = NULL;
	if (library != NULL)
		*(void **)&allocate = dlsym(library, "stress_allocate");
	stress_must(allocate != NULL, "a library is opened");
	bool stay = stress_random() % 64 == 0;
	for (int i = 0; allocate != NULL && i < (stay ? 1000 : 16); i++) {
		stress_visit_by(site, allocate);
		if (stay && i % 100 == 0)
			usleep(2000);
	}
	stress_must(library != NULL && dlclose(library) == 0, "a library is closed");
	stress_count(LIBRARIES);
	KEEP_FRAME();
}

void stress_libraries(uint32_t site, const char *a, const char *b)
{
	while (!stress_ended()) {
		stress_library(site, a);
		stress_library(site + 1, b);
	}
}
