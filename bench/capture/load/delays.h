// How long a thread is kept in malloc and in free.
#ifndef DELAYS_H
#define DELAYS_H

#include <stdint.h>

struct delay {
	double wall; // ns, including the time in which the thread could have run but another had the processor
	double kept; // without that time, but including the time in which it slept
};

// Allocates and frees until delays_end, and returns the longest call of either, by both measures.
struct delay delays_run(uint64_t seed);

void delays_begin(void);
void delays_end(void);

#endif
