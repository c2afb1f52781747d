// The layout of a new region. See layout.c.
#ifndef CGOHEAP_LAYOUT_H
#define CGOHEAP_LAYOUT_H

#include <stdint.h>

// Maps a region of size bytes, in a file or, if that is -1, in memory, and lays it out. See region_map. Returns 0, or the errno.
int layout_open(int file, uint64_t size, uint64_t sample_bytes);

#endif
