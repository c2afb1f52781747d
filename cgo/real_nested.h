// Allocations that the real allocator makes for its own work, by calling hooked functions.
#ifndef CGOHEAP_REAL_NESTED_H
#define CGOHEAP_REAL_NESTED_H

#include <stdbool.h>
#include <stdint.h>

#include "thread.h"

// Whether some functions of the real allocator call others that are hooked: musl's calloc calls malloc, and its
// posix_memalign calls aligned_alloc.
extern bool real_nests __attribute__((visibility("hidden")));

// Whether trial(which), which calls a real function, leads to a call of a hook. Called by real_try and its callees only.
bool real_calls_hooks(void (*trial)(int), int which);

// Notes that a hook was called before the gate was built. True if a real function called it that this thread tries.
bool real_called_hook(void);

// Between begin_real and end_real, hooked functions that the real allocator calls are part of its work, and are not
// counted. If it calls none (nests is false), a call in between can only come from a signal handler, and is counted.
static inline uint64_t begin_real(bool nests)
{
	uint64_t countdown = cgoheap_thread.countdown;
	if (nests)
		cgoheap_thread.countdown = UINT64_MAX;
	return countdown;
}

static inline void end_real(uint64_t countdown)
{
	if (cgoheap_thread.countdown > UINT64_MAX / 2) // otherwise a new recording has begun and drawn a new countdown
		cgoheap_thread.countdown = countdown;
}

#endif
