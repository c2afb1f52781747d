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

// The offset of the pointer to the m in the g that the calling thread runs for: the m leads to its g0, and that to the m,
// at the same offset. 0 if there is no such offset, or more than one.
uint32_t probe_m_offset(uintptr_t g);

// The entries of the labels of the goroutine that calls, as labels_read gives them.
uint32_t probe_labels(char *entries);

// Enters so many places of the gate for the calling thread, as if so many had been stopped inside; and leaves them. For tests.
bool probe_enter(uint32_t places);
void probe_leave(void);

#endif
