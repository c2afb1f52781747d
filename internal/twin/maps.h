// The mappings of the process, as a twin reads them: by raw system calls, without a function of libc.
#ifndef CGOHEAP_TWIN_MAPS_H
#define CGOHEAP_TWIN_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct twin_map {
	uint64_t start, limit;
	bool readable, writable, shared;
	bool anonymous;   // no file, and not of the kernel's own: no name, [heap], [stack] or [anon:...]
	const char *name; // as the kernel lists it; not terminated, and good only during the visit
	size_t name_size;
};

// Whether the name begins with another.
bool twin_map_begins(const struct twin_map *m, const char *with);

typedef void twin_map_visit(void *arg, const struct twin_map *map);

// A list of the mappings, as text. What the twin maps afterwards is not in it.
struct twin_maps {
	char *text; // memory of the twin's own, of room bytes
	size_t size, room;
};

// Reads the list from an open file: proc_pid_maps(5). False if it cannot be read to the end.
bool twin_maps_read(struct twin_maps *l, int file);

// Visits all mappings, ascending. Returns false if one is not understood.
bool twin_maps_each(const struct twin_maps *l, twin_map_visit *visit, void *arg);

#endif
