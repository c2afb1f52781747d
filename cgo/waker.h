// The profiler's one thread: runs Go code at the request of C that must not call Go itself. See waker.c.
#ifndef CGOHEAP_WAKER_H
#define CGOHEAP_WAKER_H

#include <stdint.h>

// Reasons to run Go code. Of the two that ask for a look at the loaded files, the larger is the more urgent.
enum wake {
	WAKE_UNKNOWN = 1, // a stack met code of no known module, which may be code that the program made
	WAKE_LOADED = 2,  // the loader has opened or closed libraries
	WAKE_SIGNAL = 4,  // a signal was caught
};

// Asks for Go code to be run. Hooks and signal handlers may call it: it waits for nothing and keeps errno. Without a
// waker thread it has no effect.
void waker_ask(enum wake reason);

// Asks for a look at the loaded files, for WAKE_UNKNOWN or WAKE_LOADED: at most once for each until waker_rearm.
void waker_look(enum wake reason);
void waker_rearm(void);

// Starts the thread, which soon calls call with the reasons since its last call. call must return soon. Returns 0, or
// an errno. It must not be called again before waker_end, which waits for the thread.
int waker_begin(void (*call)(uint32_t reasons));
void waker_end(void);

#endif
