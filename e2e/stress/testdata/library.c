#include <stdlib.h>

/* Built twice, with NAME as the name of the function that allocates. */

__attribute__((noinline)) static void *NAME(size_t size)
{
	void *block = malloc(size);
	__asm__ volatile("" : "+r"(block)::"memory");
	return block;
}

__attribute__((visibility("default"))) void *stress_allocate(size_t size)
{
	void *block = NAME(size);
	__asm__ volatile("" : "+r"(block)::"memory");
	return block;
}
