/* The functions of an allocator that a library brings along. */
#ifndef CGOHEAP_VICTIM_BROUGHT_H
#define CGOHEAP_VICTIM_BROUGHT_H

#include <stddef.h>

void *je_malloc(size_t size);
void *je_calloc(size_t count, size_t size);
void *je_aligned_alloc(size_t alignment, size_t size);
int je_posix_memalign(void **to, size_t alignment, size_t size);
void *je_realloc(void *p, size_t size);
void je_free(void *p);
void *je_mallocx(size_t size, int flags);
void *je_rallocx(void *p, size_t size, int flags);
size_t je_xallocx(void *p, size_t size, size_t extra, int flags);
void je_dallocx(void *p, int flags);
void je_sdallocx(void *p, size_t size, int flags);

#endif
