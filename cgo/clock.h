// Time for sampled blocks: coarse, because it must cost nothing.
#ifndef CGOHEAP_CLOCK_H
#define CGOHEAP_CLOCK_H

#include <stdint.h>
#include <time.h>

#include "region.h"

// A tick is 2^24 ns, 16.8 ms.
#define CLOCK_TICK_BITS 24

// Nanoseconds of a clock that the kernel advances at each of its own ticks, some milliseconds apart. The first call
// comes before anything is recorded, so that the loader has bound the symbol when malloc needs it.
static inline uint64_t clock_now(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	return (uint64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

// Ticks since the recording began.
static inline uint64_t clock_ticks(void)
{
	return (clock_now() - cgoheap_region->clock) >> CLOCK_TICK_BITS;
}

#endif
