// Libraries that a walk met before Go knew them. See objects.c.
#ifndef CGOHEAP_OBJECTS_H
#define CGOHEAP_OBJECTS_H

#include <stdbool.h>
#include <stdint.h>

#include "loads.h"
#include "memory.h"
#include "rows.h"

// Frames in an object have OBJECT_FIRST + the object's index in the table instead of a module's number.
#define OBJECT_SLOTS 1024
#define OBJECT_FIRST (65536 - OBJECT_SLOTS)

// The fields that distinguish a library from another at the same address. Unknown fields are zero.
struct identity {
	uint64_t start, limit;           // of the mapping
	uint64_t code_start, code_limit; // of its executable segments
	uint64_t bias, eh_frame_hdr;
	uint32_t id_size, path_size;
	uint8_t id[40];  // GNU build ID
	char path[512]; // as the loader lists it; empty if it is longer
};

// An object's record in the region. Written once, except for loads.
struct object {
	struct identity is;
	uint64_t loads; // loads_now when the object was last seen there; 0 if unknown
};

// Finds out how to ask the loader. Called before the first recording. Takes the loader's locks: not for the hooks.
void objects_prepare(void);

// Returns the number for frames at pc and sets *object; 0 if no library is there now, or if that cannot be known. Takes
// no locks. Reads memory through m.
uint32_t object_at(uintptr_t pc, const struct loads *loads, struct memory *m, const struct object **object);

// An address in an object, to look for its rule.
struct object_code {
	const struct object *object;
	uint32_t number;
	uintptr_t pc;
};

// Sets *rule to the rule. False if the object's unwind data cannot be searched.
bool object_rule(const struct object_code *code, struct memory *m, struct rule *rule);

// For tests: sets whether walks may meet libraries. Returns false if they cannot.
bool objects_allow(bool allow);
bool objects_allowed(void);

#endif
