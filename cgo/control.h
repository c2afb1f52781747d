// The functions that Go calls.
#ifndef CGOHEAP_CONTROL_H
#define CGOHEAP_CONTROL_H

#include <stddef.h>
#include <stdint.h>

#include "region.h"
#include "rows.h"
#include "walk.h"

struct options {
	uint64_t table_bytes, sample_bytes, seed;
	uint32_t max_depth;
	uint32_t thread_names; // 1: samples are labelled with their thread's name
	struct region_file file; // that the region shall lie in, see region_map; 0 for none
};

// Opens the region; nothing is recorded before cgoheap_start. 0, or an errno.
int cgoheap_prepare(const struct options *o);

void cgoheap_start(void);

// Ends the recording, waits until no thread is inside, and frees the region's memory. False if a thread stayed inside
// for a second: the memory must then be left as it is.
bool cgoheap_stop(void);

// Puts another index, already in the region, in place of the current one.
void cgoheap_publish(uint64_t index);

// Changes the mean interval between samples. Each thread changes over at its next sample.
void cgoheap_set_sample_bytes(uint64_t sample_bytes);

// Calls gate_settle, and recounts the filter's stuck counters, if there are any.
bool cgoheap_settle(void);

// Stores the call sites (module << 48 | return address − 1) of the caller of this function and of all callers above,
// leaf first, and returns how many. *end becomes an enum end, *goroutine the g that the thread runs for, or 0. Needs an
// index; records nothing.
size_t cgoheap_walk_frames(uint64_t *frames, size_t max, uint32_t *end, uintptr_t *goroutine);

// Stores the same call sites as plain addresses.
size_t cgoheap_walk(uintptr_t *pcs, size_t max);

#endif
