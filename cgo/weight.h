// The weight of a sampled block: what it stands for.
#ifndef CGOHEAP_WEIGHT_H
#define CGOHEAP_WEIGHT_H

#include <stdint.h>

enum measure { OBJECTS, BYTES, MEASURES };

// Objects in units of 2^-16 and bytes in units of 2^-4: integers, so that a free takes back exactly what was added.
struct weight {
	uint64_t of[MEASURES];
};

// The most objects that a block can stand for, in units: more than 2^40 whole objects, which the longest interval needs.
#define WEIGHT_OBJECT_BITS 57
#define WEIGHT_OBJECTS ((1ULL << WEIGHT_OBJECT_BITS) - 1)

// The weight of a block of size bytes that was sampled at the given mean interval: 1/p objects, and size times as many
// bytes, with p = 1 - exp(-(size + 1) / sample_bytes), the probability that it was sampled. An interval of 1 records
// everything: p = 1.
struct weight weigh(uint64_t size, uint64_t sample_bytes);

// Draws the bytes until the next sample, exponential with mean sample_bytes, rounded down; 0 if sample_bytes is 1.
// Advances *random.
uint64_t draw_bytes_until_sample(uint64_t *random, uint64_t sample_bytes);

// -ln(u 2^-64) for u > 0, rounded down to a unit of 2^-LOG_BITS.
#define LOG_BITS 58
uint64_t negative_log(uint64_t u);

#endif
