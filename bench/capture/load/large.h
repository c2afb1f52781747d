// Work with large blocks and aligned ones.
#ifndef LARGE_H
#define LARGE_H

#include "pairs.h"

// In this order.
enum { GROW, GROW_SMALL, CALLOC, ALIGNED, PAGES, LARGES };

// The nanoseconds that each takes:
//   GROW        a vector to grow by realloc from 1 MiB to 1 GiB, by half of its size each time, untouched
//   GROW_SMALL  one to grow from 16 bytes to 64 KiB, written
//   CALLOC      calloc of 64 MiB and free, of which one page is written
//   ALIGNED     aligned_alloc of a few hundred bytes at 64, and free
//   PAGES       posix_memalign of a MiB at a page, and free
void large_run(struct found found[LARGES]);

#endif
