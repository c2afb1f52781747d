// A segment of System V shared memory that the command has made, and attaches as well: what lies in it is still there when this process was
// killed, and gone when both have ended.
#ifndef PRELOAD_SEGMENT_H
#define PRELOAD_SEGMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "region.h"

// What the last bytes of a segment say, which are beyond those that a region uses.
struct segment_end {
	uint64_t owner; // the process that has it, 0 for none yet
	uint64_t token; // that the command has chosen
};

// Attaches the segment with that number and token, which has so many bytes, all of them zero but its end. False if there is none, or if
// another process has it. One that has executed another program gets the segment that it had, cleared.
bool segment_take(struct region_file *file, int number, uint64_t token, uint64_t size);

#endif
