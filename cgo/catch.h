// Catches signals on their way to Go. See catch.c.
#ifndef CGOHEAP_CATCH_H
#define CGOHEAP_CATCH_H

#include <stdbool.h>
#include <stdint.h>

#define CATCH_MOST 64 // the highest signal number; the lowest is 1

// The handler that the signal has, as an address; 0 for none, or if this thread blocks the signal.
uintptr_t catch_handler(int number);

// Installs a handler that records the signal and then calls the previous handler; false if the kernel refuses.
// catch_end restores the previous handler, unless somebody has installed another one after ours. One caller at a time.
bool catch_begin(int number);
void catch_end(int number);

// Whether our handler is the signal's handler now.
bool catch_stands(int number);

// The signals that arrived since the last call: number n as bit n - 1.
uint64_t catch_take(void);

#endif
