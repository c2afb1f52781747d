#include <stdlib.h>

/* Built as a shared library and dlopened: sites that no start-up scan of the process can have seen. */

#define SITE __attribute__((noinline, visibility("default")))
#define USE(block) __asm__ volatile("" : : "r"(block) : "memory")

SITE void *plugin_malloc(size_t size)
{
	void *block = malloc(size);
	USE(block);
	return block;
}

SITE void *plugin_calls_itself(size_t size)
{
	void *block = plugin_malloc(size);
	USE(block);
	return block;
}

/* Frees the block at this address. */
SITE void *plugin_free(size_t block)
{
	free((void *)block);
	return NULL;
}
