//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

// Sampling, in one idea: bytes are counted, and along the line of all bytes that a thread allocates lie points with
// exponential distances of mean T, a Poisson process. A block that covers a point is sampled. The process has no
// memory, so after a sample, or after a block was dropped, a new distance may be drawn and nothing is carried over.
//
// A block of s bytes covers at least one point with probability p = 1 - exp(-s/T), so 1/p blocks like it were allocated
// for each one seen, and s/p bytes: 8 bytes at T = 512 KiB stand for 65,536.5 blocks, 8 MiB for 1.0000001. Every block
// is weighed with its own size when it is taken; averages over sizes come out wrong by orders of magnitude. Blocks count
// one byte more than they hold, so that blocks of no bytes can be seen too.
//
// All of it is in integers. The floating-point environment is the program's: if it rounds another way, estimates would be
// biased; if it has unmasked an exception, one inexact result would end it; and its flags must not change.

#include "weight.h"

#include "hash.h"

typedef unsigned __int128 wide;

#define ONE (1ULL << 63)
#define LN2 0xb17217f7d1cf79acULL // ln 2 in units of 2^-64

// The product in units of 2^-64.
static inline uint64_t times(uint64_t a, uint64_t b)
{
	return (uint64_t)((wide)a * b >> 64);
}

// artanh s = s (1 + s^2/3 + s^4/5 + ...) for s <= 1/3, in units of 2^-64; the result is in units of 2^-63. The first term left
// out is below 2^-62.
static uint64_t artanh(uint64_t s)
{
	uint64_t square = times(s, s), sum = 0;
#pragma GCC unroll 18
	for (int k = 35; k >= 1; k -= 2)
		sum = times(sum, square) + ONE / (unsigned)k;
	return times(s, sum);
}

// With u = m 2^-e and 1 <= m < 2, -ln u = e ln 2 - ln m, and ln m = 2 artanh((m - 1) / (m + 1)).
uint64_t negative_log(uint64_t u)
{
	unsigned zeros = (unsigned)__builtin_clzll(u);
	uint64_t half = (u << zeros) >> 1; // m / 2, as ONE is 1
	uint64_t s = (uint64_t)(((wide)(half - ONE / 2) << 64) / (half + ONE / 2));
	return (uint64_t)((((wide)zeros + 1) * LN2 - (wide)artanh(s) * 4) >> (64 - LOG_BITS));
}

// exp(-n/d) for 1/16 <= n/d < 64, in units of 2^-63. With y = n/d 2^-h < 1/16, exp(-y) = 1 - y (1 - y/2 (1 - y/3 ...)), and then it
// is squared h times.
static uint64_t exp_minus(uint64_t n, uint64_t d)
{
	uint64_t x = (uint64_t)(((wide)n << 58) / d); // in units of 2^-58
	unsigned h = 10 - (unsigned)__builtin_clzll(x);
	uint64_t y = h > 6 ? x >> (h - 6) : x << (6 - h), sum = ONE; // in units of 2^-64
#pragma GCC unroll 8
	for (unsigned k = 9; k >= 2; k--)
		sum = ONE - times(y, sum) / k;
	uint64_t power = ONE - times(y, sum);
	for (; h > 0; h--)
		power = times(power, power) * 2;
	return power;
}

// 1/p for x = n/d < 1/16, in units of 2^-48: 1/x + 1/2 + x/12 - x^3/720 + x^5/30240.
static wide inverse_of_rare(uint64_t n, uint64_t d)
{
	uint64_t x = (uint64_t)(((wide)n << 64) / d), square = times(x, x);
	uint64_t more = times(x / 12, ONE - times(square, ONE - times(square, ONE) / 42) / 60); // in units of 2^-63
	return ((wide)d << 48) / n + (1ULL << 47) + (more >> 15);
}

// 1/p for p = 1 - exp(-n/d), to the nearest unit of 2^-16.
static wide inverse(uint64_t n, uint64_t d)
{
	if (n < d / 16)
		return (inverse_of_rare(n, d) + (1ULL << 31)) >> 32;
	if (n / 64 >= d)
		return 1 << 16;
	uint64_t p = ONE - exp_minus(n, d);
	return (((wide)1 << 79) + p / 2) / p;
}

struct weight weigh(uint64_t size, uint64_t sample_bytes)
{
	if (sample_bytes == 1)
		return (struct weight){{1 << 16, size << 4}};
	wide objects = inverse(size + (size != UINT64_MAX), sample_bytes);
	if (objects > WEIGHT_OBJECTS)
		objects = WEIGHT_OBJECTS;
	return (struct weight){{(uint64_t)objects, (uint64_t)((objects * size + 2048) >> 12)}};
}

uint64_t draw_bytes_until_sample(uint64_t *random, uint64_t sample_bytes)
{
	if (sample_bytes == 1)
		return 0;
	*random += 0x9e3779b97f4a7c15ULL; // SplitMix64 (Steele, Lea, Flood)
	uint64_t u = (mix64(*random) | 0x7ff) ^ 0x3ff; // the middle of one of 2^53 equal parts
	return (uint64_t)((wide)negative_log(u) * sample_bytes >> LOG_BITS);
}
