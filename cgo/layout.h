// The layout of a new region. See layout.c.
#ifndef CGOHEAP_LAYOUT_H
#define CGOHEAP_LAYOUT_H

#include <stdint.h>

// Maps a region of size bytes, or reuses the region of an earlier recording, and lays it out. Returns 0, or the errno.
int layout_open(uint64_t size, uint64_t sample_bytes);

#endif
