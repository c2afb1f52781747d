// Sorts the twin's lists.
#ifndef CGOHEAP_TWIN_SORT_H
#define CGOHEAP_TWIN_SORT_H

#include <stddef.h>
#include <stdint.h>

// Sorts count structures of size bytes, a multiple of 8, by their uint64_t at the offset key: ascending, in place, without recursion,
// never slow.
void twin_sort(void *list, uint64_t count, size_t size, size_t key);

#endif
