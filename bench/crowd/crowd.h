// Threads that allocate and free as fast as they can.
#ifndef CROWD_H
#define CROWD_H

#include <stdbool.h>
#include <stdint.h>

// Starts so many threads, which never end. Each replaces one of its live blocks by another, at the end of one of 16 chains of
// calls. False if a thread could not be started.
bool crowd_start(int threads, int live);

// Pairs of malloc and free until now, by all threads.
uint64_t crowd_pairs(void);

// From here on each pair is timed, which costs it some 50 ns.
void crowd_time(void);

// The longest malloc or free since the last call, in nanoseconds of the clock on the wall.
uint64_t crowd_longest(void);

#endif
