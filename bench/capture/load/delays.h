// How long a thread is kept in malloc and in free.
#ifndef DELAYS_H
#define DELAYS_H

#include <stdint.h>

struct delay {
	double wall; // ns, with the time in which the thread could have run and another had the processor
	double kept; // without that time, but with that in which it slept
};

// Allocates and frees until delays_end, and gives the longest call of either, by each of the two.
struct delay delays_run(uint64_t seed);

void delays_begin(void);
void delays_end(void);

#endif
