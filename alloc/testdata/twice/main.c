/* Opens each library that an argument names, linked or not, and has it try to record and allocate. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096

/* Takes the addresses of functions. In a program that is not position-independent, each is for all objects an entry in the program's own
   table of calls. */
static void take(void)
{
	void *volatile taken;
#define TAKE(function) taken = (void *)function;
#ifdef TAKEN
	TAKEN
#endif
	(void)taken;
}

/* 0 if each call did what it is for. */
static int map(size_t pages)
{
	char *p = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED || (p = mremap(p, pages * PAGE, 9 * pages * PAGE, MREMAP_MAYMOVE)) == MAP_FAILED)
		return 1;
	p[9 * pages * PAGE - 1] = 1;
	return munmap(p, 9 * pages * PAGE) != 0 || munmap(p + 1, PAGE) == 0;
}

int main(int argc, char **argv)
{
	int scope = RTLD_LOCAL;
	take();
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "global") == 0) {
			scope = RTLD_GLOBAL;
			continue;
		}
		void *library = dlopen(argv[i], RTLD_NOW | scope);
		void (*try)(void) = library != NULL ? (void (*)(void))dlsym(library, "twice_try") : NULL;
		if (try == NULL) {
			fprintf(stderr, "%s\n", dlerror());
			return 2;
		}
		try();
		for (int n = 0; n < 1000; n++)
			free(realloc(calloc(n, 1), 2 * n + 1));
		for (int n = 1; n < 100; n++)
			if (map(n) != 0)
				return 3;
	}
	return 0;
}
