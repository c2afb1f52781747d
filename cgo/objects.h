// Libraries that a walk met before Go knew them. See objects.c.
#ifndef CGOHEAP_OBJECTS_H
#define CGOHEAP_OBJECTS_H

#include <stdbool.h>
#include <stdint.h>

#include "loads.h"
#include "memory.h"
#include "rows.h"

// Frames in an object carry OBJECT_FIRST and the object's place in the table instead of a module's number.
#define OBJECT_SLOTS 1024
#define OBJECT_FIRST (65536 - OBJECT_SLOTS)

// What tells one library from another that is put in its place. What is not known is zero.
struct identity {
	uint64_t start, limit;           // of the mapping
	uint64_t code_start, code_limit; // of its executable segments
	uint64_t bias, eh_frame_hdr;
	uint32_t id_size, path_size;
	uint8_t id[40];  // GNU build ID
	char path[512]; // as the loader has it; empty if it is longer
};

// In the region. Written once, but for loads.
struct object {
	struct identity is;
	uint64_t loads; // loads_now when it was last seen to be there; 0 if that is not known
};

// Before the first recording: finds out how to ask. Takes the loader's locks: not for the hooks.
void objects_prepare(void);

// The number that frames at pc carry, and the object; 0 if no library is there now or it cannot be known. Takes no locks.
// Memory is read as the walk's is.
uint32_t object_at(uintptr_t pc, const struct loads *loads, struct memory *m, const struct object **object);

// Where to look for the rule of an address in an object.
struct object_code {
	const struct object *object;
	uint32_t number;
	uintptr_t pc;
};

// *rule becomes the rule. False if the object's unwind data cannot be searched.
bool object_rule(const struct object_code *code, struct memory *m, struct rule *rule);

// For tests: whether walks may meet libraries. False where they cannot.
bool objects_allow(bool allow);
bool objects_allowed(void);

#endif
