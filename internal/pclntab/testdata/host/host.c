/* Loads a library and calls its function Testify. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv) {
	void *library = dlopen(argv[argc - 1], RTLD_NOW);
	void (*testify)(void) = library ? (void (*)(void))dlsym(library, "Testify") : 0;
	if (!testify) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	testify();
	return 0;
}
