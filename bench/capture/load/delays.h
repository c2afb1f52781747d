// How long a thread is kept in malloc and in free.
#ifndef DELAYS_H
#define DELAYS_H

#include "pairs.h"

// Allocates so many blocks on so many stacks, at most 2^15, and keeps them.
void delays_hold(long blocks, long stacks);

// Allocates and frees until delays_end, and gives the nanoseconds of the longest call of either: on the wall, with the
// time in which another thread had the processor, and of the thread itself.
struct found delays_run(uint64_t seed);

void delays_begin(void);
void delays_end(void);

#endif
