#ifndef CGOHEAP_HASH_H
#define CGOHEAP_HASH_H

#include <stdint.h>

// The finalizer of MurmurHash3 (Appleby): every input bit reaches every output bit.
static inline uint64_t mix64(uint64_t x)
{
	x ^= x >> 33;
	x *= 0xff51afd7ed558ccdULL;
	x ^= x >> 33;
	x *= 0xc4ceb9fe1a85ec53ULL;
	return x ^ (x >> 33);
}

#endif
