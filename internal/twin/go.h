// Go's heap and the stacks of its goroutines, as a twin reads them: without a system call, a lock, or a function of libc. What
// the Go runtime does at that moment in other threads can be half done. What is inconsistent therefore counts as in use.
#ifndef CGOHEAP_TWIN_GO_H
#define CGOHEAP_TWIN_GO_H

#include "found.h"
#include "go_arenas.h"
#include "go_paths.h"
#include "go_stacks.h"

typedef void twin_scan(void *arg, uint64_t start, uint64_t limit, uint32_t root);

// Calls scan for all objects of Go's heap that are allocated, but for the smallest, as TWIN_ROOT_GO_HEAP, and for the part of each goroutine's stack that
// is in use, as TWIN_ROOT_GO_STACK: from its stack pointer on, or all of it while it runs. Of what is kept, which was looked at with the
// stacks, some objects perhaps come once more. Garbage that has not been collected is allocated. Returns false if the layout is unknown or
// not as expected; all of the arenas must then be scanned.
bool twin_go_scan(const struct twin_go *go, const struct twin_kept *but, twin_scan *scan, void *arg);

// Calls scan for the smallest objects without pointers that are allocated, with TWIN_ROOT_SMALLEST as well. Go puts several of them into one
// place and keeps them as one, so an address in one of them may be that of a block which the program has forgotten. Returns false as
// twin_go_scan does.
bool twin_go_scan_smallest(const struct twin_go *go, twin_scan *scan, void *arg);

#endif
