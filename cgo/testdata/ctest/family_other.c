// A family under other names, with memory of its own that it never hands out twice. In a library its calloc calls the
// hook of its malloc, as musl's does.
#include "family_other.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

static _Alignas(4096) char pool[1 << 20];
static size_t used;

size_t other_taken_back;

static void *give(size_t alignment, size_t size)
{
	size_t align = alignment < 16 ? 16 : alignment, at = (used + sizeof size + align - 1) & ~(align - 1);
	if (size > sizeof pool || at > sizeof pool - size)
		return NULL;
	used = at + size;
	memcpy(&pool[at - sizeof size], &size, sizeof size);
	return &pool[at];
}

void *other_malloc_v1(size_t size)
{
	return give(16, size);
}

void *other_calloc_v1(size_t count, size_t size)
{
	return other_malloc_v1(count * size);
}

void *other_memalign_v1(size_t alignment, size_t size)
{
	return give(alignment, size);
}

void *other_aligned_alloc_v1(size_t alignment, size_t size)
{
	return give(alignment, size);
}

int other_posix_memalign_v1(void **to, size_t alignment, size_t size)
{
	*to = give(alignment, size);
	return *to == NULL ? ENOMEM : 0;
}

size_t other_malloc_usable_size_v1(void *p)
{
	size_t size;
	memcpy(&size, (char *)p - sizeof size, sizeof size);
	return size;
}

void other_free_v1(void *p)
{
	other_taken_back += p != NULL;
}

void *other_realloc_v1(void *p, size_t size)
{
	void *moved = give(16, size);
	if (p == NULL || moved == NULL)
		return moved;
	size_t was = other_malloc_usable_size_v1(p);
	memcpy(moved, p, was < size ? was : size);
	other_free_v1(p);
	return moved;
}
