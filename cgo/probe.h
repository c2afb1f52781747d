// Known calls for the self-test at start.
#ifndef CGOHEAP_PROBE_H
#define CGOHEAP_PROBE_H

#include <stdbool.h>

#include "control.h"

struct probe {
	uint64_t frames[64];
	uint32_t depth, end;
	uintptr_t goroutine;
};

// Walks its own stack.
void probe_call(struct probe *p);

// Calls into Go, which calls probe_call.
void probe_callback(struct probe *p);

// Finds the offset, in a g, of the pointer to its m. g must be the one that the calling thread runs for. The m points
// to its g0, and the g0, at the same offset, to the m. 0 if there is no such offset, or more than one.
uint32_t probe_m_offset(uintptr_t g);

// The entries of the labels of the goroutine that calls, as labels_read writes them.
uint32_t probe_labels(char *entries);

// For tests. probe_enter enters that many slots of the gate, as if as many threads had been stopped inside; probe_leave
// leaves them.
bool probe_enter(uint32_t slots);
void probe_leave(void);

#endif
