//go:build linux && (amd64 || arm64) && cgo && !asan && !msan && !cgoheap_wrap

// The family as C and POSIX define it, on blocks.h. The hooks have checked for overflow in calloc.

#include "fallback.h"

#include <errno.h>
#include <stdbool.h>

#include "blocks.h"

static void *or_no_memory(void *p)
{
	if (p == NULL)
		errno = ENOMEM;
	return p;
}

static bool is_alignment(size_t n)
{
	return n != 0 && (n & (n - 1)) == 0;
}

static void *fallback_malloc(size_t size)
{
	return or_no_memory(blocks_allocate(1, size));
}

static void *fallback_calloc(size_t count, size_t size)
{
	return or_no_memory(blocks_allocate_zeroed(count * size));
}

static void fallback_free(void *p)
{
	if (p != NULL)
		blocks_free(p);
}

static void *fallback_realloc(void *p, size_t size)
{
	if (p == NULL)
		return fallback_malloc(size);
	if (size != 0)
		return or_no_memory(blocks_resize(p, size));
	blocks_free(p);
	return NULL;
}

static void *fallback_memalign(size_t alignment, size_t size)
{
	if (is_alignment(alignment))
		return or_no_memory(blocks_allocate(alignment, size));
	errno = EINVAL;
	return NULL;
}

#define fallback_aligned_alloc fallback_memalign

static int fallback_posix_memalign(void **to, size_t alignment, size_t size)
{
	if (!is_alignment(alignment) || alignment < sizeof(void *))
		return EINVAL;
	void *p = blocks_allocate(alignment, size);
	if (p == NULL)
		return ENOMEM;
	*to = p;
	return 0;
}

static size_t fallback_malloc_usable_size(void *p)
{
	return p == NULL ? 0 : blocks_size(p);
}

void fallback_stand_in(struct real *r)
{
#define STAND_IN(does, result, name, parameters, trial) r->name = fallback_##name;
	FAMILY_FOUND(STAND_IN)
#undef STAND_IN
}
