// Ways to walk a stack, measured on the same one.
#ifndef WALKS_H
#define WALKS_H

#include "pairs.h"

// In this order.
enum { OURS, LIBUNWIND, BACKTRACE, UNWIND_BACKTRACE, WALKERS };

// Nanoseconds that each takes for one walk from below so many calls of C, on a thread of C. A walker that is not there,
// or that does not see all of these calls, has taken -1.
void walks_run(long depth, long walks, struct found found[WALKERS]);

#endif
