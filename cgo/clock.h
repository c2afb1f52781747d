// Time for sampled blocks: coarse, because it must cost nothing.
#ifndef CGOHEAP_CLOCK_H
#define CGOHEAP_CLOCK_H

#include <stdint.h>
#include <time.h>

#include "machine.h"
#include "region.h"

// A tick is 2^24 ns, 16.8 ms.
#define CLOCK_TICK_BITS 24

// Finds the kernel's own function; until then, and where there is none, the kernel itself is asked.
void clock_find(void);

// Reads a clock, in nanoseconds. Calls no function of a library.
uint64_t clock_read(clockid_t clock);

// Sleeps for less than a second, or until a signal comes.
void clock_pause(long nanoseconds);

// Nanoseconds of a clock that the kernel advances at each of its own ticks, some milliseconds apart.
static inline uint64_t clock_now(void)
{
	return clock_read(CLOCK_MONOTONIC_COARSE);
}

// Ticks since the recording began.
static inline uint64_t clock_ticks(void)
{
	return (clock_now() - cgoheap_region->clock) >> CLOCK_TICK_BITS;
}

#endif
