/* With these calls a C or C++ library reports memory that does not come from malloc to cgoheap, the heap profiler: pools, arenas
   and memory of devices.

   Copy this file beside your own; it needs nothing else. The functions are weak: in a program without cgoheap a call is a test, and
   in one where cgoheap does not record, a load and a test. Libraries that are opened with dlopen reach cgoheap only if the program
   exports the functions (-rdynamic).

       void *p = pool_carve(pool, n);
       cgoheap_allocated(p, n, "parser nodes");
       ...
       cgoheap_freed(p);
       pool_return(pool, p);

   The profile then has the block at the caller's stack, sampled as blocks of malloc are. */
#ifndef CGOHEAP_H
#define CGOHEAP_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

void cgoheap_record_allocated(void *p, size_t size, const char *kind) __attribute__((weak));
void cgoheap_record_freed(void *p) __attribute__((weak));
void cgoheap_record_pool(void *chunk) __attribute__((weak));

/* After the block p of size bytes was made. No other block may have the address p meanwhile. It is never read, so it may be a
   device's. An address of 0 or 1 is no block: nothing is recorded. kind is a text of at most 256 bytes, which becomes the label
   "kind" of the block's samples, or NULL. A program should have at most some hundred kinds. "cuda" and "hip", alone or before a space,
   are memory of a device, which has a view of its own; but for "cuda pinned" and "hip pinned", which are the host's. */
static inline __attribute__((always_inline)) void cgoheap_allocated(void *p, size_t size, const char *kind)
{
	if (cgoheap_record_allocated)
		cgoheap_record_allocated(p, size, kind);
}

/* Before p is freed. A pool that frees all of its blocks at once reports each. */
static inline __attribute__((always_inline)) void cgoheap_freed(void *p)
{
	if (cgoheap_record_freed)
		cgoheap_record_freed(p);
}

/* After malloc, or a function like it, returned chunk, which is to be a pool: the chunk itself does not count as in use any more, only
   blocks that are carved from it and reported do. It is freed as ever. */
static inline __attribute__((always_inline)) void cgoheap_pool(void *chunk)
{
	if (cgoheap_record_pool)
		cgoheap_record_pool(chunk);
}

#ifdef __cplusplus
}
#endif
#endif
