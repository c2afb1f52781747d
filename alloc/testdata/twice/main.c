/* Opens each library that an argument names, linked or not, and has it try to record and allocate. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
	int scope = RTLD_LOCAL;
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
	}
	return 0;
}
