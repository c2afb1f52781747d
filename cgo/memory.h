// Reading the program's stack: only words of it that are known to be readable.
#ifndef CGOHEAP_MEMORY_H
#define CGOHEAP_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "thread.h"

// A word that was read.
struct word {
	uintptr_t address, value;
};

#define MEMORY_WORDS 256 // in a log

// Where a walk may read: the goroutine's stack it is on, and pages near the stack pointer it began at.
struct memory {
	struct thread *thread;
	uintptr_t lo, hi;       // readable pages around the stack pointer
	uintptr_t go_lo, go_hi; // bounds of the goroutine's stack; empty elsewhere
	uintptr_t page;         // a readable page outside both, 0 if none
	bool own;               // the stack pointer is on the stack that the thread was born with
	bool unfit;             // what was read cannot be read again without asking, or did not fit
	struct word *log;       // MEMORY_WORDS, as they are read; NULL for none
	uint32_t logged;
};

// Enters a word in the log.
static inline void memory_note(struct memory *m, uintptr_t address, uintptr_t value)
{
	if (m->log == NULL)
		return;
	if (m->logged == MEMORY_WORDS)
		m->unfit = true;
	else
		m->log[m->logged++] = (struct word){address, value};
}

// For a walk that starts at sp.
void memory_begin(struct memory *m, struct thread *t, uintptr_t sp);

// Whether a word can be read where a walk's words mostly are.
static inline bool memory_near(const struct memory *m, uintptr_t address)
{
	return address % 8 == 0 && address >= m->lo && address < m->hi;
}

// *value = the word at address; false if it cannot be read.
bool memory_load(struct memory *m, uintptr_t address, uintptr_t *value);

// Whether the page that holds address can be read. Asks the kernel; does not touch errno.
bool page_readable(uintptr_t address);

#endif
