// The structures of who mapped what, in the region: see mapped.c.
#ifndef CGOHEAP_MAPPED_TABLE_H
#define CGOHEAP_MAPPED_TABLE_H

#include <stdint.h>

#include "mapped_event.h"
#include "mapped_tree.h"

#define MAPPED_EVENTS 4096
#define MAPPED_CALLS 64 // that were announced and have not returned

struct mapped_call {
	uint64_t number; // of the event that announced it; 0: there is no call here
	uint64_t start, limit;
	uint32_t spoiled; // others changed the range meanwhile
	uint32_t claims;  // it was announced by MAPPED_CLAIMS
};

struct mapped_table {
	struct mapped_tree tree;
	uint64_t doubt; // ranges with a number up to this one are in doubt
	struct mapped_call calls[MAPPED_CALLS];
	_Alignas(64) uint64_t lock;
	uint64_t head; // events that were applied
	_Alignas(64) uint64_t tail; // events that have a slot
	_Alignas(64) struct mapped_event events[MAPPED_EVENTS];
};

#endif
