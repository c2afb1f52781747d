// The seam between the hooks of calls that map memory and the book-keeping of what they mapped.
#ifndef CGOHEAP_RECORD_MAPPED_H
#define CGOHEAP_RECORD_MAPPED_H

#include <stdbool.h>
#include <stdint.h>

#include "mapped.h"
#include "page_set.h"
#include "walk.h"

// A call that maps or unmaps, from before it begins until it has returned.
struct mapping {
	const struct registers *caller;
	uint32_t generation; // of the recording; 0 while none runs
	uint64_t ticket;     // the last event before the call, or the one that announced it
	bool announced;      // it takes away a range, or it would have been announced and could not
	bool lost;           // one of its events could not be queued
	bool blocks;         // signals, which the thread had not blocked before
	uint64_t blocked;    // those that it had
	struct mapped_event event;
};

// Begins a call that asks for length bytes. Keeps errno, as all of these do. mapping_end must follow. In between, no handler of a
// signal interrupts a call of the program's: it is allowed to jump out of these, and its jump would leave a slot of the gate, the lock
// of the table or an event taken for good. Nobody may jump out of Go's runtime or an allocator.
void mapping_begin(struct mapping *m, const struct registers *caller, uint64_t length, uint16_t flags);

// Says, before the call, that it takes away what is mapped there, that it maps over it, or that it takes away all that a call of
// shmat mapped from an address on.
void mapping_announce(struct mapping *m, uintptr_t start, uintptr_t limit);
void mapping_claim(struct mapping *m, uintptr_t start, uintptr_t limit);
void mapping_announce_segment(struct mapping *m, uintptr_t base);

// After a call that has mapped a range where none was, or where it announced it.
void mapping_made(struct mapping *m, uintptr_t start, uintptr_t limit);

// After a call that has mapped a range in place of the one that it announced: MAPPED_MOVED, REPLACED or SHIFTED.
void mapping_moved(struct mapping *m, uintptr_t start, uintptr_t limit, enum mapped_what what);

// After a call that has taken away what it announced, or has not.
void mapping_gone(struct mapping *m);
void mapping_stays(struct mapping *m);

void mapping_end(const struct mapping *m);

// Called by the hooks of mmap, 0, and of munmap, 1, so that the return addresses of Go's own calls can be found.
void mapping_met(const struct registers *caller, int which);

// Go's functions that call mmap and munmap for its runtime, and another that calls mmap.
struct go_calls {
	uintptr_t (*mmap)(void *at, uintptr_t length, int32_t protection, int32_t flags, int32_t fd, uint32_t offset);
	void (*munmap)(void *at, uintptr_t length);
	void *(*other)(size_t length);
};

// Finds those return addresses, by a call of each function. False if one was not found, or if it is the other function's too: then
// nothing is recorded. While stopped.
bool mapping_find_go(const struct go_calls *go);

// The same of the functions of runtime/cgo, and of another that calls mmap.
bool mapping_know_go(void *(*other)(size_t length));

// What Go's runtime has mapped since then, and has not unmapped: it is noted whether anything is recorded or not.
extern struct page_set cgoheap_go_pages;

// Whether a call has moved the end of the data segment up.
extern bool cgoheap_end_moved __attribute__((visibility("hidden")));

// The return addresses of the call of mmap and of that of munmap; 0 until they are found.
extern uintptr_t cgoheap_go_calls[2] __attribute__((visibility("hidden")));

static inline bool mapping_by_go(uintptr_t pc, int which)
{
	return pc == __atomic_load_n(&cgoheap_go_calls[which], __ATOMIC_RELAXED);
}

// Calls from this range of code are the allocator's.
void mapping_set_allocator(uintptr_t lo, uintptr_t hi);

// Begins and ends to record, or leaves it out in a child. A call that is late does not enter the gate.
void mapping_watch(bool watch);

#endif
