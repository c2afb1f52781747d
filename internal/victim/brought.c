// An allocator of a library, under names with a prefix. It takes memory from the kernel and reuses none. It has no memalign.

#include "brought.h"

#define BUMP_ROOM (64ULL << 20)
#define BUMP(f) je_##f
#include "bump.h"

void *je_mallocx(size_t size, int flags)
{
	(void)flags;
	return je_malloc(size);
}

void *je_rallocx(void *p, size_t size, int flags)
{
	(void)flags;
	return je_realloc(p, size);
}

size_t je_xallocx(void *p, size_t size, size_t extra, int flags)
{
	(void)extra;
	(void)flags;
	if (size <= size_of(p))
		((size_t *)p)[-1] = size;
	return size_of(p);
}

void je_dallocx(void *p, int flags)
{
	(void)flags;
	je_free(p);
}

void je_sdallocx(void *p, size_t size, int flags)
{
	(void)size;
	(void)flags;
	je_free(p);
}
