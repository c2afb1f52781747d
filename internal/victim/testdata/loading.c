#include <stdlib.h>

/* A library that allocates while it is loaded and unloaded: 7001 bytes in an IFUNC resolver, 7002 in its constructor, 7003 in
   its destructor, which frees them all. loading_user.c makes the loader run the resolver. */

#define USE(block) __asm__ volatile("" : : "r"(block) : "memory")

static void *resolved, *constructed;

static void *same(size_t size)
{
	return (void *)size;
}

__attribute__((noinline)) static void *(*resolve_same(void))(size_t)
{
	resolved = malloc(7001);
	USE(resolved);
	return same;
}

void *loading_same(size_t size) __attribute__((ifunc("resolve_same")));

__attribute__((constructor, noinline)) static void construct(void)
{
	constructed = malloc(7002);
	USE(constructed);
}

__attribute__((destructor, noinline)) static void destruct(void)
{
	void *block = malloc(7003);
	USE(block);
	free(block);
	free(resolved);
	free(constructed);
}
