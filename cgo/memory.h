// Reads the program's stack: a word is loaded only from memory that the thread itself keeps mapped. Any other word is
// copied by the kernel, which fails where a load would fault.
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

#define MEMORY_WORDS 256      // in a log
#define MEMORY_COPY_BYTES 256 // that the kernel copies at a time

// The buffer that the kernel copies to.
struct copy {
	uintptr_t at; // the address that size bytes of words were copied from
	uint32_t size;
	int way;      // how the kernel is asked; 0 before the first copy
	long self;    // by process_vm_readv: the number of this thread
	int pipe[2];  // by WAY_PIPE
	uintptr_t words[MEMORY_COPY_BYTES / 8];
};

struct room;

// The memory that a walk may load words from.
struct memory {
	struct thread *thread;
	uintptr_t lo, hi;       // memory around the stack pointer that the walk began with
	uintptr_t go_lo, go_hi; // bounds of the goroutine's stack; empty elsewhere
	bool own;               // the stack pointer is on the stack that the thread was born with
	bool unfit;             // the log is full, or a word was copied that a later walk must not load
	struct word *log;       // MEMORY_WORDS words, in the order they are read; NULL for none
	uint32_t logged;
	struct copy *copy;      // NULL: words that cannot be loaded cannot be read
	struct room *room;      // for what is deep; NULL: the caller's stack has room
	bool narrow;            // so little of the stack is left that nothing may be walked
};

// The most that a hook takes of the program's stack, with what it calls.
#define HOOK_STACK 1536

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

// Prepares a walk of the calling thread's stack that starts at sp, just above the frame of a running function.
// memory_end must follow.
void memory_begin(struct memory *m, struct thread *t, uintptr_t sp, struct copy *copy);

// Closes the descriptors that copies needed.
void memory_end(struct memory *m);

// The same where a walk was left by a jump, and where none was begun.
void memory_leave(struct copy *c);

// Whether the word at address lies where a walk's words mostly lie, and can be loaded.
static inline bool memory_near(const struct memory *m, uintptr_t address)
{
	return address % 8 == 0 && address >= m->lo && address < m->hi;
}

// *value = the word at address; false if it cannot be read.
bool memory_load(struct memory *m, uintptr_t address, uintptr_t *value);

// The same, always by the kernel's copy.
bool memory_load_copy(struct memory *m, uintptr_t address, uintptr_t *value);

// Copies size bytes from an address that may be unreadable; false if it is.
bool memory_copy(struct memory *m, uintptr_t from, void *to, size_t size);

// Whether the page that holds address can be read now. Asks the kernel; does not touch errno. Only memory that nobody
// unmaps can then be loaded from.
bool page_readable(uintptr_t address);

// Whether a filter of system calls may be in force, which may end the process for a call that it does not know.
bool calls_may_be_filtered(void);

#endif
