// For tests: a part of a twin alone, in a copy of the process.
#ifndef CGOHEAP_GOPARTS_PROBE_H
#define CGOHEAP_GOPARTS_PROBE_H

#include <stdint.h>

#include "../twin/names.h"
#include "../twin/go.h"

struct probe_part {
	uint64_t start, limit, root;
};

struct probe_stack {
	uint64_t address; // asked for
	struct twin_goroutine found;
};

// In memory that is shared with the copy.
struct probe_twin {
	struct twin_go go;
	uint64_t parts, arenas;             // how many there are; ~0: unknown
	uint64_t asked;                     // of stacks
	struct probe_stack stacks[16];
	uint64_t room;                      // of part
	struct probe_part part[];
};

// Fills it in in a copy of the process. Returns 0, or −errno; the status of the copy if that did not end well.
int probe_twin(struct probe_twin *p);

#endif
