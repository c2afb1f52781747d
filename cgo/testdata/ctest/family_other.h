// A family whose names have a prefix and a suffix.
#ifndef CGOHEAP_CTEST_FAMILY_OTHER_H
#define CGOHEAP_CTEST_FAMILY_OTHER_H

#include <stddef.h>

#define OTHER_NAME(f) other_##f##_v1

void *other_malloc_v1(size_t size);
void *other_memalign_v1(size_t alignment, size_t size);
void *other_calloc_v1(size_t count, size_t size);
void *other_aligned_alloc_v1(size_t alignment, size_t size);
int other_posix_memalign_v1(void **to, size_t alignment, size_t size);
size_t other_malloc_usable_size_v1(void *p);
void other_free_v1(void *p);
void *other_realloc_v1(void *p, size_t size);

// How many blocks were given back to it.
extern size_t other_taken_back;

#endif
