// What keeps objects of Go's heap: the variable, the goroutine or the finalizer from which pointers lead to each, as Go's collector would
// follow them. go.h has what holds for all.
#ifndef CGOHEAP_TWIN_GO_PATHS_H
#define CGOHEAP_TWIN_GO_PATHS_H

#include "found.h"
#include "go_stacks.h"

// What is at an address here is bias bytes behind that in the process.
typedef void twin_go_words(void *arg, uint64_t start, uint64_t limit, uint64_t bias);

// The memory outside of Go's heap. Each function calls words for what can be read; two return false if that is not known.
struct twin_go_outside {
	bool (*variables)(void *arg, twin_go_words *words, void *to); // of the program's
	bool (*others)(void *arg, twin_go_words *words, void *to);    // of Go's runtime, and all memory that it may have mapped
	void (*part)(void *arg, uint64_t start, uint64_t limit, twin_go_words *words, void *to); // what can be read of a range in Go's heap
	// Looks in words for what lies outside of Go's heap. A chain to it begins in them, as root says, or if that is TWIN_ROOT_NONE in from.
	void (*look)(void *arg, uint64_t start, uint64_t limit, uint64_t bias, uint32_t root, uint64_t from);
	void (*rename)(void *arg, uint64_t from, uint64_t to); // what was last found from the one is from the other
	void *arg;
};

// Which objects are kept: a bit for each word of the arenas.
struct twin_kept {
	uint64_t low, high; // of all arenas
	uint8_t *bits;      // NULL: it is not known
};

// Whether an object that begins at an address is kept; and keep: it is from now on.
static inline bool twin_go_kept(const struct twin_kept *kept, uint64_t at, bool keep)
{
	uint8_t *byte = &kept->bits[(at - kept->low) / 64], bit = (uint8_t)(1U << (at - kept->low) / 8 % 8);
	bool before = (*byte & bit) != 0;
	if (keep)
		*byte |= bit;
	return before;
}

// Whether the runtime keeps what it knows of a processor between two addresses: its last pointers that a collector was to be told of are there,
// whoever has them now, and none that is the program's.
bool twin_go_is_processor(const struct twin_go *go, uint64_t start, uint64_t limit);

// Follows pointers through Go's heap, and has each object that it comes to and each goroutine's stack looked at: from variables, then the
// stacks of goroutines, then what only a finalizer or cleanup keeps (the first word is then the entry of its function), then what only
// the runtime's notes of goroutines and processors do; in each, the objects with the fewest others in between first. taken grows by the
// memory that is mapped. twin_go_forget_kept must follow in any case.
void twin_go_keep(const struct twin_go *go, const struct twin_go_outside *outside, struct twin_kept *kept, uint64_t *taken);

// Adds what other memory keeps. Returns false if that is not known.
bool twin_go_keep_others(const struct twin_go *go, const struct twin_go_outside *outside, struct twin_kept *kept, uint64_t *taken);

void twin_go_forget_kept(struct twin_kept *kept);

// Whether the object that an address lies in is kept.
bool twin_go_keeps(const struct twin_go *go, const struct twin_kept *kept, uint64_t address);

#endif
