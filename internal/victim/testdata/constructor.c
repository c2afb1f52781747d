#include <stdlib.h>

/* Allocates while it is being opened, before dlopen returns, with sizes that only these sites have. */

#define SITE __attribute__((noinline, visibility("default")))

static void *volatile kept[2];

SITE void *constructor_malloc(size_t size)
{
	void *block = malloc(size);
	__asm__ volatile("" : : "r"(block) : "memory");
	return block;
}

__attribute__((constructor)) static void begin(void)
{
	kept[0] = constructor_malloc(100003);
}

__attribute__((destructor)) static void end(void)
{
	kept[1] = constructor_malloc(100005);
	free(kept[0]);
	free(kept[1]);
}
