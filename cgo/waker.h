// The profiler's one thread: runs Go code at the request of C that must not call Go itself. See waker.c.
#ifndef CGOHEAP_WAKER_H
#define CGOHEAP_WAKER_H

#include <stdbool.h>
#include <stdint.h>

// Reasons to run Go code. Of the two that ask for a look at the loaded files, the larger is the more urgent.
enum wake {
	WAKE_UNKNOWN = 1, // a stack met code of no known module, which may be code that the program made
	WAKE_LOADED = 2,  // the loader has opened or closed libraries
	WAKE_SIGNAL = 4,  // a signal was caught
	WAKE_HANDLER = 8, // somebody has changed what a signal does
};

// Asks for Go code to be run. Hooks and signal handlers may call it: it waits for nothing and keeps errno. Without a
// waker thread it has no effect.
void waker_ask(enum wake reason);

// Asks for a look at the loaded files, for WAKE_UNKNOWN or WAKE_LOADED: at most once for each until waker_rearm.
void waker_look(enum wake reason);
void waker_rearm(void);

// Has the thread call a function once a second, for good, and run Go code for the reasons that it returns; 0 for none. Twice the same
// counts once, and there may be two.
void waker_each_second(uint32_t (*look)(void));

// Before each start of the thread: forgets what was asked. Returns 0, or the errno with which this process makes no thread.
int waker_prepare(void);

// The thread's first call: names it. Returns false on the main thread, whose name is the process's.
bool waker_begin(void);

// Returns the reasons since the last call, and waits until there are any. Returns 0 at the end.
uint32_t waker_wait(void);

// Has waker_wait return 0, once.
void waker_end(void);

#endif
