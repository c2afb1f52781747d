// Signals that are noted on their way to Go. See catch.c.
#ifndef CGOHEAP_CATCH_H
#define CGOHEAP_CATCH_H

#include <stdbool.h>
#include <stdint.h>

#define CATCH_MOST 64 // signals are numbers from 1 to it

// The handler that the signal has, as an address; 0 for none, or if this thread blocks the signal.
uintptr_t catch_handler(int number);

// Puts the handler that notes the signal before the one that it has, which is called as well; false if the kernel refuses.
// After catch_end the other one stands alone again, unless somebody has put yet another one before ours. One caller at a
// time.
bool catch_begin(int number);
void catch_end(int number);

// Whether the signal has our handler now.
bool catch_stands(int number);

// The signals that arrived since the last call: number n as bit n - 1.
uint64_t catch_take(void);

#endif
