#define _GNU_SOURCE
#include <malloc.h>
#include <stdlib.h>

#include "victim.h"

VICTIM_SITE void *victim_malloc(size_t size)
{
	void *block = malloc(size);
	VICTIM_USE(block);
	return block;
}

VICTIM_SITE void *victim_nocallback(size_t size)
{
	void *block = malloc(size);
	VICTIM_USE(block);
	return block;
}

VICTIM_SITE void *victim_calloc(size_t count, size_t size)
{
	void *block = calloc(count, size);
	VICTIM_USE(block);
	return block;
}

VICTIM_SITE void *victim_realloc(void *block, size_t size)
{
	void *moved = realloc(block, size);
	VICTIM_USE(moved);
	return moved;
}

VICTIM_SITE void *victim_reallocarray(void *block, size_t count, size_t size)
{
	void *moved = reallocarray(block, count, size);
	VICTIM_USE(moved);
	return moved;
}

VICTIM_SITE void *victim_posix_memalign(size_t alignment, size_t size)
{
	void *block = NULL;
	int error = posix_memalign(&block, alignment, size);
	VICTIM_USE(block);
	return error ? NULL : block;
}

VICTIM_SITE void *victim_aligned_alloc(size_t alignment, size_t size)
{
	void *block = aligned_alloc(alignment, size);
	VICTIM_USE(block);
	return block;
}

VICTIM_SITE void *victim_memalign(size_t alignment, size_t size)
{
	void *block = memalign(alignment, size);
	VICTIM_USE(block);
	return block;
}

VICTIM_SITE void *victim_valloc(size_t size)
{
	void *block = valloc(size);
	VICTIM_USE(block);
	return block;
}

VICTIM_SITE void *victim_pvalloc(size_t size)
{
	void *block = pvalloc(size);
	VICTIM_USE(block);
	return block;
}

VICTIM_SITE void victim_free(void *block)
{
	free(block);
}

/* Not every libc has these; free does the same. */
extern void cfree(void *block) __attribute__((weak));
extern void free_sized(void *block, size_t size) __attribute__((weak));
extern void free_aligned_sized(void *block, size_t alignment, size_t size) __attribute__((weak));

VICTIM_SITE void victim_cfree(void *block)
{
	(cfree ? cfree : free)(block);
}

VICTIM_SITE void victim_free_sized(void *block, size_t size)
{
	if (free_sized)
		free_sized(block, size);
	else
		free(block);
}

VICTIM_SITE void victim_free_aligned_sized(void *block, size_t alignment, size_t size)
{
	if (free_aligned_sized)
		free_aligned_sized(block, alignment, size);
	else
		free(block);
}

VICTIM_SITE void *victim_malloc_list(size_t count, size_t size)
{
	void *list = NULL;
	while (count-- > 0) {
		void **block = malloc(size);
		if (!block)
			break;
		*block = list;
		list = block;
	}
	return list;
}

VICTIM_SITE void victim_free_list(void *list)
{
	while (list) {
		void *next = *(void **)list;
		free(list);
		list = next;
	}
}
