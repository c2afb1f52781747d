// Reading the program's stack: only words of it that are known to be readable.
#ifndef CGOHEAP_MEMORY_H
#define CGOHEAP_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "thread.h"

// Where a walk may read: the goroutine's stack it is on, and pages near the stack pointer it began at.
struct memory {
	struct thread *thread;
	uintptr_t lo, hi;       // readable pages around the stack pointer
	uintptr_t go_lo, go_hi; // bounds of the goroutine's stack; empty elsewhere
	uintptr_t page;         // a readable page outside both, 0 if none
};

// For a walk that starts at sp.
void memory_begin(struct memory *m, struct thread *t, uintptr_t sp);

// *value = the word at address; false if it cannot be read.
bool memory_load(struct memory *m, uintptr_t address, uintptr_t *value);

// Whether the page that holds address can be read. Asks the kernel; does not touch errno.
bool page_readable(uintptr_t address);

#endif
