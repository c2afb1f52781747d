#include <stdlib.h>

#include "../../cgo/cgoheap.h"
#include "victim.h"

static struct {
	char *chunk;
	size_t used;
} pool;

VICTIM_SITE void *victim_pool_open(size_t size)
{
	pool.chunk = malloc(size);
	pool.used = 0;
	cgoheap_pool(pool.chunk);
	return pool.chunk;
}

VICTIM_SITE void *victim_pool_carve(size_t size, const char *kind)
{
	void *p = pool.chunk + pool.used;
	pool.used += size;
	cgoheap_allocated(p, size, kind);
	VICTIM_USE(p);
	return p;
}

void victim_pool_return(void *p)
{
	cgoheap_freed(p);
}
