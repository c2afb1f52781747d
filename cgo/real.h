// The real allocator: glibc, by the names under which it still has its functions when ours stand before them. It has no
// such name for posix_memalign, aligned_alloc and the sized frees; hooks.c makes those of these.
#ifndef CGOHEAP_REAL_H
#define CGOHEAP_REAL_H

#include <stddef.h>

#ifndef __GLIBC__
#error "cgoheap records on glibc; build with CGO_ENABLED=0 elsewhere, where Start says that it cannot"
#endif

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *p, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void *__libc_valloc(size_t size);
void *__libc_pvalloc(size_t size);
void __libc_free(void *p);

#endif
