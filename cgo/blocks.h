// An allocator on memory of the kernel, for programs that have no other (fallback.c). It calls no libc and takes no lock: it
// may be called by any thread, by signal handlers and by a forked child. All blocks are aligned to 16 bytes at least.
#ifndef CGOHEAP_BLOCKS_H
#define CGOHEAP_BLOCKS_H

#include <stddef.h>

// A block of at least size bytes; NULL if there is no memory. The alignment is a power of two.
void *blocks_allocate(size_t alignment, size_t size);

// The same, with zeroes. A large block stays untouched.
void *blocks_allocate_zeroed(size_t size);

// A block of at least size bytes with the content of p, which is freed. If there is no memory, NULL, and p stays.
void *blocks_resize(void *p, size_t size);

void blocks_free(void *p);

// How many bytes p has.
size_t blocks_size(void *p);

#endif
