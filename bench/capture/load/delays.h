// How long a thread is kept in malloc and in free.
#ifndef DELAYS_H
#define DELAYS_H

#include "pairs.h"

// Allocates and frees until delays_end, and gives the nanoseconds of the longest call of either: on the wall, with the
// time in which another thread had the processor, and of the thread itself.
struct found delays_run(uint64_t seed);

void delays_begin(void);
void delays_end(void);

#endif
