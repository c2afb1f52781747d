// Pages for the region: they take memory only where they are written, and are zero whenever a recording begins.
#ifndef CGOHEAP_PAGES_H
#define CGOHEAP_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PAGES_LARGEST (64 << 10) // the largest page that kernels have for these machines

// Maps size bytes of zeroes, none of which is locked in memory, even if the process locks all that it maps. NULL, and
// errno, if there is no room.
void *pages_map(size_t size);

// As pages_map, but of pages that can only be read. They do not count against RLIMIT_DATA, nor against what a kernel that
// promises no more memory than it has has promised (vm.overcommit_memory=2).
void *pages_reserve(size_t size);

// Lets whole pages be written. False if a limit forbids it. A hook may call it.
bool pages_allow(void *at, size_t size);

// Moves pages to an address in place of what is mapped there: another thread sees the one or the other. False, and errno, if the
// kernel refuses.
bool pages_place(void *at, void *pages, size_t size);

// Unmaps what pages_map mapped.
void pages_unmap(void *at, size_t size);

// Returns the memory of pages that pages_map mapped to the kernel, which may leave what lies in them.
void pages_free(void *at, size_t size);

// Zeroes size bytes from the start of a page, of which only the first used bytes were ever written, and returns their
// memory to the kernel if possible. Another thread may read them meanwhile.
void pages_clear(void *at, size_t size, size_t used);

#endif
