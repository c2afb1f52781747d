// Ways to walk a stack, measured on the same one.
#ifndef WALKS_H
#define WALKS_H

#include "pairs.h"

// In this order.
enum { OURS, LIBUNWIND, BACKTRACE, UNWIND_BACKTRACE, WALKERS };

// The nanoseconds that each takes for one walk from below depth calls of C, on a thread of C; -1 for a walker that is
// missing, or that does not see all of these calls.
void walks_run(long depth, long walks, struct found found[WALKERS]);

#endif
