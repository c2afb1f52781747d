// The one thread that the profiler has of its own: how C asks for Go code where it may not call it. See waker.c.
#ifndef CGOHEAP_WAKER_H
#define CGOHEAP_WAKER_H

#include <stdint.h>

// Why Go is asked for. Of those for a look at the loaded files, the more urgent is the larger.
enum wake {
	WAKE_UNKNOWN = 1, // a stack met code of no known module, which may be code that the program made
	WAKE_LOADED = 2,  // the loader has opened or closed libraries
	WAKE_SIGNAL = 4,  // a signal was caught
};

// Asks for Go. For hooks and signal handlers: it waits for nothing and leaves errno alone. Without a thread, nothing
// comes of it.
void waker_ask(enum wake reason);

// Starts the thread, which passes to call, soon, what was asked for since the last time. call must return soon. 0, or an
// errno. Until waker_end, which waits for the thread, it may not be called again.
int waker_begin(void (*call)(uint32_t reasons));
void waker_end(void);

#endif
