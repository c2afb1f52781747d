// Pages for the region: they take memory only where they are written, and are zero whenever a recording begins.
#ifndef CGOHEAP_PAGES_H
#define CGOHEAP_PAGES_H

#include <stddef.h>

// Maps size bytes of zeroes, none of which is locked in memory, even if the process locks all that it maps. NULL, and
// errno, if there is no room.
void *pages_map(size_t size);

// Unmaps what pages_map mapped.
void pages_unmap(void *at, size_t size);

// Zeroes size bytes from the start of a page, of which only the first used bytes were ever written, and returns their
// memory to the kernel if possible. Another thread may read them meanwhile.
void pages_clear(void *at, size_t size, size_t used);

#endif
