// Blocks of devices: what the hooks of a driver's functions (hooks_device.c) record. All of them are recorded, whatever the interval:
// they are few, and large.
#ifndef CGOHEAP_DEVICE_H
#define CGOHEAP_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "device_books.h"
#include "record.h"

enum device_kind { DEVICE_MEMORY, DEVICE_MANAGED, DEVICE_PINNED };

struct device_block {
	uint64_t key;
	uint64_t size;
	enum device_kind kind;
	uint32_t device; // its number, and one more; 0 if it is on none, or if that is not known
	uint64_t owner;  // a context, or device_pool_of(device); 0 if it stays when these go
};

// Remembers a block. After the real call.
void device_give(const struct registers *caller, const struct device_block *b);

// A block that a call frees.
struct device_taking {
	uint64_t key, owner;
	bool booked;
	struct forgotten old;
};

// Forgets a block, before the real call; and what became of it, after.
void device_take(uint64_t key, struct device_taking *t);
void device_taken(struct device_taking *t, bool failed);

// Memory that handles and mappings hold. A handle was made, after the block was given; it was got once more; it was mapped.
void device_hold(uint64_t handle);
void device_hold_again(uint64_t handle);
void device_map(uint64_t handle, uint64_t at, uint64_t size);

// Handles are released: as device_take and device_taken.
void device_release(uint64_t handle, struct device_taking *t);
void device_released(uint64_t handle, struct device_taking *t, bool failed);

// Ends the blocks of two owners, 0 for none. Before the real call; returns the call's number for device_ended, which follows.
uint32_t device_end_owned(uint64_t owner, uint64_t other);
void device_ended(uint32_t call, bool failed);

// The same for the mappings in a range of addresses.
uint32_t device_unmap(uint64_t at, uint64_t size);
void device_unmapped(uint64_t at, uint64_t size, uint32_t call, bool failed);

// Frees the blocks of two owners, or all blocks if owner is 0. For calls that only show afterwards whether they ended them.
void device_drop(uint64_t owner, uint64_t other);

#endif
