// The bounds of the stack that libc gave the calling thread.
#ifndef CGOHEAP_BOUNDS_H
#define CGOHEAP_BOUNDS_H

#include <stdbool.h>
#include <stdint.h>

struct bounds {
	uintptr_t lo, hi; // the guard page, if there is one, lies inside
};

// Finds out where libc keeps them, unless that is known. Makes a thread for a moment, so not from malloc.
void bounds_prepare(void);

// False if it is not known where libc keeps them. Not for the main thread, whose stack the kernel made.
bool bounds_now(struct bounds *b);

#endif
