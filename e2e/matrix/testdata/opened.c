/* A C program that opens the Go library later. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_GLOBAL);
	int (*run)(char *arguments) = library ? (int (*)(char *))dlsym(library, "core_run") : NULL;
	if (run == NULL) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	return run(argc > 1 ? argv[1] : "");
}
