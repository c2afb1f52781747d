// What hooks are made of: a fast half, which ends with a jump, and a slow half that it jumps to.
#ifndef CGOHEAP_HOOKS_H
#define CGOHEAP_HOOKS_H

#include "real.h"
#include "record.h"

#define likely(x) __builtin_expect(!!(x), 1)
#define SLOW __attribute__((noinline, noclone, cold))

// Acquired, because free looks into the region without entering the gate: with the first recording comes its address.
#define GENERATION() __atomic_load_n(&cgoheap_generation, __ATOMIC_ACQUIRE)

// Ends a hook with a jump to the real function while nothing is recorded or if the block passes, otherwise to the slow half.
// The empty statement keeps the compiler from leading both ways to one jump, which would cost another.
#define END_HOOK(passes, real, slow)                                                                                   \
	do {                                                                                                           \
		uint32_t generation = GENERATION();                                                                    \
		if (likely(generation == 0))                                                                           \
			return real;                                                                                   \
		if (likely(passes)) {                                                                                  \
			__asm__ volatile("");                                                                          \
			return real;                                                                                   \
		}                                                                                                      \
		return slow;                                                                                           \
	} while (0)

#define SKIPS(size) record_skips(generation, size)

// record_samples, for slow halves, which must find the real allocator first.
static inline uint64_t samples(size_t size)
{
	real_ready();
	return record_samples(size);
}

// What the real allocator calls of the family between the two is a part of its work, and passes. Where it calls nothing,
// a call in between can only be a signal handler's, and counts.
static inline uint64_t begin_real(bool nests)
{
	uint64_t countdown = cgoheap_thread.countdown;
	if (nests)
		cgoheap_thread.countdown = UINT64_MAX;
	return countdown;
}

static inline void end_real(uint64_t countdown)
{
	if (cgoheap_thread.countdown > UINT64_MAX / 2) // otherwise a new recording has begun meanwhile, and drawn its own
		cgoheap_thread.countdown = countdown;
}

#endif
