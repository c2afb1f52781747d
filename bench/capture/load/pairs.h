// The work that is measured: pairs of malloc and free, at a depth of calls, with a number of blocks live.
#ifndef PAIRS_H
#define PAIRS_H

#include <stdint.h>

struct order {
	long pairs;         // measured at a time
	long live;          // blocks at any time, a power of two
	long depth;         // calls of C above the one that allocates, at most 64
	long routes;        // 2^routes different stacks allocate; the routes are calls as well
	long climb;         // 1: each allocation goes down all levels; 0: the loop is at the bottom of them
	long least, most;   // bytes of a block, evenly spread
};

struct found {
	double wall, cpu; // ns per pair, by the wall clock and by the thread's own clock
};

struct pairs;

// Allocates the blocks of one thread, as ordered; each seed makes another sequence. pairs_close frees them.
struct pairs *pairs_open(const struct order *o, uint64_t seed);
void pairs_close(struct pairs *p);

// Replaces o.pairs blocks, each by another.
struct found pairs_run(struct pairs *p);

#endif
