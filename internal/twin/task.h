// What the process and its twin tell each other, in memory that both share.
#ifndef CGOHEAP_TWIN_TASK_H
#define CGOHEAP_TWIN_TASK_H

#include <stdint.h>

#include "chunks.h"
#include "found.h"
#include "go.h"
#include "pinned.h"
#include "stacks.h"

// A range of addresses at which a file was mapped, to be written to privately.
struct twin_file {
	uint64_t start, limit, offset;
	int32_t file; // descriptor
};

enum twin_want { TWIN_REACH = 1, TWIN_PINNED = 2 };

// How far the twin has come.
enum twin_phase { TWIN_BEGUN, TWIN_CHUNKS, TWIN_ROOTS, TWIN_BLOCKS, TWIN_PINS, TWIN_DONE, TWIN_NO_MEMORY, TWIN_NO_AREAS };

// The lists lie behind it, at offsets from it.
struct twin_task {
	// Written before the clone.
	uint64_t size; // of the mapping
	uint64_t page; // bytes of a page of the kernel's
	uint32_t wants; // enum twin_want
	uint32_t process; // the process's ID, as the twin's parent
	uint64_t capabilities; // of the processor, for allow_loads
	uint64_t blocks, found, count;
	uint64_t apart, aparts; // struct twin_range, ascending: memory that holds nothing, such as the profiler's own
	uint64_t variables, variable_count; // struct twin_range, ascending: of Go code, without the runtime's. None: what keeps Go's objects is not asked for
	uint64_t stacks, stack_room; // struct twin_stack
	uint64_t files, file_room;   // struct twin_file
	uint64_t registers, register_room; // words, and behind them those of epoll
	struct twin_malloc malloc;
	struct twin_go go;

	// Written by Go after the clone, ready last.
	int32_t maps, pagemap; // descriptors of the twin's files in /proc
	int32_t origin; // of the process's pagemap: shared memory is not resident in a copy
	int32_t memory; // of the twin's mem
	uint64_t stack_count; // ascending
	uint64_t file_count;
	uint64_t register_count, epoll_count;
	uint32_t ready;

	// Written by the twin.
	uint32_t phase; // enum twin_phase
	uint32_t unknown; // heaps of malloc's that could not be read
	uint32_t go_unknown; // Go's heap was looked at as a whole
	uint64_t scanned; // bytes that were looked at for pointers
	uint64_t own; // bytes that the twin has mapped for itself
	struct twin_pinned pinned;
};

#endif
