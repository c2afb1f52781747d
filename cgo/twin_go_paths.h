// What keeps objects of Go's heap: the variable, the goroutine or the finalizer from which pointers lead to each, as Go's collector would
// follow them. twin_go.h has what holds for all.
#ifndef CGOHEAP_TWIN_GO_PATHS_H
#define CGOHEAP_TWIN_GO_PATHS_H

#include "twin_go_stacks.h"
#include "twin_root.h"

// An object that is asked for, and the answer.
struct twin_path {
	uint64_t at;   // an address in the object
	uint64_t word; // the address of the first word of the path; of a finalizer or cleanup, that of its function; 0 if that is unknown
	uint32_t root; // enum twin_root and TWIN_ROOT_IN_GO; TWIN_ROOT_GO_HEAP alone if that was not found out
	uint32_t next; // for twin_go_paths.c
};

// What is at an address here is bias bytes behind that in the process.
typedef void twin_go_words(void *arg, uint64_t start, uint64_t limit, uint64_t bias);

// The memory outside of Go's heap. Each function calls words for what can be read, and returns false if that is not known.
struct twin_go_outside {
	bool (*variables)(void *arg, twin_go_words *words, void *to); // of the program's
	bool (*others)(void *arg, twin_go_words *words, void *to);    // of Go's runtime, and all memory that it may have mapped
	void (*part)(void *arg, uint64_t start, uint64_t limit, twin_go_words *words, void *to); // what can be read of a range in Go's heap
	void *arg;
};

// Which objects are kept: a bit for each word of the arenas.
struct twin_kept {
	uint64_t low, high; // of all arenas
	uint8_t *bits;      // NULL: it is not known
};

// Finds those that variables keep, and those that variables or goroutines do. taken is as for twin_go_paths. twin_go_forget_kept must
// follow in any case, for both.
void twin_go_keep(const struct twin_go *go, const struct twin_go_outside *outside, struct twin_kept kept[2], uint64_t *taken);
void twin_go_forget_kept(struct twin_kept *kept);

// Whether an object that begins at an address is kept.
static inline bool twin_go_is_kept(const struct twin_kept *kept, uint64_t at)
{
	uint64_t i = (at - kept->low) / 8;
	return at >= kept->low && at < kept->high && (kept->bits[i / 8] >> i % 8 & 1) != 0;
}

// Whether the runtime keeps what it knows of a processor between two addresses: its last pointers that a collector was to be told of are there,
// whoever has them now, and none that is the program's.
bool twin_go_is_processor(const struct twin_go *go, uint64_t start, uint64_t limit);

// Sorts the paths by their objects, leaves each object once, and answers. Returns how many are left. taken grows by the memory that is mapped.
// Variables come before the stacks of goroutines, then what only a finalizer keeps, then what only the rest does; of several variables,
// the one from which the fewest objects lie between counts.
uint64_t twin_go_paths(const struct twin_go *go, const struct twin_go_outside *outside, struct twin_path *paths, uint64_t count, uint64_t *taken);

// The answer for an address; NULL if it was not asked for.
const struct twin_path *twin_go_path(const struct twin_go *go, const struct twin_path *paths, uint64_t count, uint64_t address);

#endif
