// An event: what a call that maps or unmaps did, or is about to do.
#ifndef CGOHEAP_MAPPED_EVENT_H
#define CGOHEAP_MAPPED_EVENT_H

#include <stdint.h>

enum mapped_what {
	MAPPED_NOTHING,
	MAPPED_MADE,     // it mapped a range where none was; ticket is the last event before it
	MAPPED_PLACED,   // it mapped a range where it announced it
	MAPPED_MOVED,    // it mapped a range in place of another, from, which it announced
	MAPPED_REPLACED, // the same, at an address that it announced by an event of its own, which has not ended yet
	MAPPED_SHIFTED,  // the same as REPLACED, of as many pages: with gaps where those were
	MAPPED_LEAVES,   // it is about to unmap a range, or to move it
	MAPPED_CLAIMS,   // it is about to map a range over what is there
	MAPPED_DETACHES, // the same of all that the call of shmat at start mapped
	MAPPED_GONE,     // it has done so
	MAPPED_STAYS,    // it could not
};

struct mapped_event {
	uint64_t turn; // whose turn it is to use this slot: see mapped_queue.c
	uint64_t start, limit;
	uint64_t from, from_limit;
	uint64_t length;
	uint64_t ticket; // the number of the event that announced this one
	uint32_t stack;
	uint16_t flags;
	uint8_t what, kind;
};

#endif
