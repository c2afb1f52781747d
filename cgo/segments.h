// Lists what the loader has loaded. Takes the loader's locks: not for the hooks.
#ifndef CGOHEAP_SEGMENTS_H
#define CGOHEAP_SEGMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct segment {
	uintptr_t start, limit;
	uintptr_t end; // in memory, where what follows the file's bytes is zero at first
	uint64_t offset;
	bool executable, writable;
	char path[1024]; // "" if it is longer
};

// Fills in the loadable segments of the program and then of all libraries, and returns how many there are, which may be
// more than max. Files that were truncated before their program headers are left out.
size_t segments_list(struct segment *list, size_t max);

#endif
