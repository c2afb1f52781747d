// Allocates the same at each run: a thousand documents, of which each tenth stays; with -DMORE, in keep_copy, three hundredths more.
#include <stdlib.h>
#include <string.h>

#ifndef MORE
#define MORE 0
#endif

static char *volatile kept;

__attribute__((noinline)) static char *parse_document(size_t size)
{
	char *p = malloc(size);
	if (p == NULL)
		abort();
	return memset(p, 1, size);
}

__attribute__((noinline)) static void keep_copy(size_t size)
{
	kept = parse_document(size);
}

int main(void)
{
	for (size_t i = 0; i < 1000; i++) {
		char *p = parse_document(100 + i);
		if (MORE > 0 && i % 100 == 0)
			keep_copy(MORE);
		if (i % 10 == 0)
			kept = p;
		else
			free(p);
	}
	return 0;
}
