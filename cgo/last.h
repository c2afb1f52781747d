// Reuses the frames of the thread's last walk that are still valid. See last.c.
//
//	last_begin(&w, slot);
//	enum end end = walk(&w);
//	uint32_t stack = last_end(&w, end);
//
// Without last_begin, the walk finds the same frames, and last_end returns the same stack.
#ifndef CGOHEAP_LAST_H
#define CGOHEAP_LAST_H

#include <stdint.h>

#include "walk.h"

// Called before a walk from w->at by a recorder in a slot of the gate. Does nothing if the last walk cannot help.
void last_begin(struct walk *w, uint32_t slot);

// Called after a walk, with the end that it returned. Returns the ref of its stack, 0 when the region is full.
uint32_t last_end(struct walk *w, enum end end);

// How many frames of the outermost callers were known, which w->frames lacks. Called before last_end.
uint32_t last_known(const struct walk *w);

// The size of all kept walks in the region, in bytes.
uint64_t last_size(void);

#endif
