// Nanoseconds of a clock.
#ifndef CLOCK_H
#define CLOCK_H

#include <time.h>

static inline double now(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

#endif
