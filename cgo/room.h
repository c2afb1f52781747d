// A stack of our own, for work that is rare and deep: the program may have little left of its own. Signals are blocked meanwhile. A
// handler that ran there would have less room than it expects; and the kernel, which sees that the thread is not on its signal stack,
// would begin that stack anew although the code that we came from may run there.
#ifndef CGOHEAP_ROOM_H
#define CGOHEAP_ROOM_H

#include <stdbool.h>
#include <stdint.h>

#define ROOM_BYTES (24 << 10) // what the deepest work takes, twice the frame that the kernel makes of a signal with AVX-512, and a handler

struct room {
	bool taken;
	bool blocks;      // signals, of which these were blocked before
	uint64_t blocked;
	_Alignas(16) char stack[ROOM_BYTES];
};

// Runs work there; at once if there is no room, or if the caller runs there already. False, and nothing is run, if the room does not fit,
// or if the kernel does not block signals.
bool room_run(struct room *r, void (*work)(void *), void *argument);

// The same for a caller that keeps signals away itself, and knows that the room fits.
void room_run_blocked(struct room *r, void (*work)(void *), void *argument);

// Whether work may run there. Where a page of the region may be missing, a SIGBUS may come, and the kernel would begin the signal stack
// anew for it: that must not be the stack that the caller runs on.
bool room_fits(void);

// Called if work was left by a jump.
void room_leave(struct room *r);

#endif
