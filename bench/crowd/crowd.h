// Threads that allocate and free as fast as they can.
#ifndef CROWD_H
#define CROWD_H

#include <stdbool.h>
#include <stdint.h>

// Starts that many threads, which never end. Each replaces one of its live blocks by another, at the end of one of 16
// chains of calls. False if a thread could not be started.
bool crowd_start(int threads, int live);

// Pairs of malloc and free until now, by all threads.
uint64_t crowd_pairs(void);

// Times each pair from now on, which costs some 50 ns a pair.
void crowd_time(void);

// The longest malloc or free since the last call, in nanoseconds by the wall clock.
uint64_t crowd_longest(void);

#endif
