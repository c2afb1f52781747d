// The bounds of the stack that libc gave the calling thread.
#ifndef CGOHEAP_BOUNDS_H
#define CGOHEAP_BOUNDS_H

#include <stdbool.h>
#include <stdint.h>

struct bounds {
	uintptr_t lo, hi; // the guard page, if there is one, lies inside
};

// Finds out where libc keeps the bounds, unless that is known. Creates a thread for a moment, so it must not be called
// from malloc.
void bounds_prepare(void);

// Reads the calling thread's bounds; false if it is not known where libc keeps them. Not for the main thread, whose
// stack the kernel made.
bool bounds_now(struct bounds *b);

// The calling thread, and where libc keeps the bounds of its stack.
struct bounds_words {
	uintptr_t thread; // its pthread_t: on glibc and musl, the address of its control block
	uintptr_t words;  // the address of the two words
	bool end;         // they are the end and the size; otherwise the lowest address and the size
};

// False if it is not known where libc keeps the bounds.
bool bounds_words(struct bounds_words *w);

// For tests: sets whether bounds_now may succeed.
void bounds_allow(bool allow);

#endif
