// Goroutines and their stacks, as a twin reads them. go.h has the rest, and what holds for all.
#ifndef CGOHEAP_TWIN_GO_STACKS_H
#define CGOHEAP_TWIN_GO_STACKS_H

#include "go_arenas.h"

struct twin_goroutine {
	uint64_t g;              // address of the runtime's structure
	uint64_t id;             // as tracebacks have it
	uint64_t start, created; // pc of its function, return address of the go statement that began it
	uint64_t lo, hi, used;   // bounds of its stack, and from where it is in use
	uint32_t status;         // as in runtime/runtime2.go, without the bit for scanning
};

typedef bool twin_goroutine_visit(void *arg, const struct twin_goroutine *g);

// Calls visit for each goroutine that has a stack in use, until it returns false. Returns false then, and if the list of
// goroutines is unknown or not as expected.
bool twin_go_goroutines(const struct twin_go *go, twin_goroutine_visit *visit, void *arg);

// Finds goroutines by the addresses of their stacks.
struct twin_goroutines {
	struct twin_goroutine *at; // by lo, ascending
	uint64_t count, room;
};

// Makes the index in memory that it maps, all in vain if it returns false. twin_go_forget must follow in any case.
bool twin_go_index(const struct twin_go *go, struct twin_goroutines *all);
void twin_go_forget(struct twin_goroutines *all);

// The goroutine whose stack an address lies in, in use or not; NULL if there is none.
const struct twin_goroutine *twin_go_goroutine(const struct twin_goroutines *all, uint64_t address);

#endif
