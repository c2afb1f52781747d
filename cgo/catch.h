// Catches signals on their way to the program. See catch.c.
#ifndef CGOHEAP_CATCH_H
#define CGOHEAP_CATCH_H

#include <stdbool.h>
#include <stdint.h>

#define CATCH_MOST 64 // the highest signal number; the lowest is 1

// The handler that the signal has, as an address: 0 for the default action, 1 if it is ignored.
uintptr_t catch_handler(int number);

// Whether this thread blocks the signal.
bool catch_blocked(int number);

// Installs a handler that records the signal, before the handler that there is, which by_go says is Go's; false if the kernel
// refuses, or if that is a handler before ours already. catch_end restores the previous handler, unless somebody has installed
// another one after ours. One caller at a time.
bool catch_begin(int number, bool by_go);
void catch_end(int number);

// Whether our handler is the signal's handler now. Where the one behind it is there again, ours is put back: that is so after
// signal.Ignore and another signal.Notify, and where a handler installs itself anew each time.
bool catch_stands(int number);

// The signals that arrived since the last call: number n as bit n - 1. The caller, which is Go code, passes each on.
uint64_t catch_take(void);
void catch_pass_on(int number);

// Has the waker look after the signal's handler once a second, or no longer: it puts ours back as catch_stands does, and asks for
// WAKE_HANDLER when any handler has changed.
void catch_watch(int number, bool watch);

#endif
