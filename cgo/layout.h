// The layout of a new region. See layout.c.
#ifndef CGOHEAP_LAYOUT_H
#define CGOHEAP_LAYOUT_H

#include <stdint.h>

// Maps a region of size bytes, in a file or, if that is NULL, in memory, and lays it out. See region_map. Returns 0, or the errno.
struct region_file;
int layout_open(const struct region_file *file, uint64_t size, uint64_t sample_bytes);

#endif
