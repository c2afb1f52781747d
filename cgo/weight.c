//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

// Sampling, in one idea: bytes are counted, and along the line of all bytes that a thread allocates lie points with
// exponential distances of mean T, a Poisson process. A block that covers a point is sampled. The process has no
// memory, so after a sample, or after a block was dropped, a new distance may be drawn and nothing is carried over.
//
// A block of s bytes covers at least one point with probability p = 1 - exp(-s/T), so 1/p blocks like it were allocated
// for each one seen, and s/p bytes: 8 bytes at T = 512 KiB stand for 65,536.5 blocks, 8 MiB for 1.0000001. Every block
// is weighed with its own size when it is taken; averages over sizes come out wrong by orders of magnitude. Blocks count
// one byte more than they hold, so that blocks of no bytes can be seen too.

#include "weight.h"

#include "hash.h"

double negative_log(double u)
{
	union {
		double value;
		uint64_t bits;
	} x = {u};
	int exponent = (int)(x.bits >> 52) - 1023;
	x.bits = (x.bits & 0x000fffffffffffffULL) | 0x3ff0000000000000ULL;
	if (x.value > 1.4142135623730951) {
		x.value /= 2;
		exponent++;
	}
	// ln m = 2 artanh((m - 1) / (m + 1)), |s| <= 0.172, so the first term left out is below 2^-50
	double s = (x.value - 1) / (x.value + 1), s2 = s * s, sum = 0;
	for (int k = 19; k >= 1; k -= 2)
		sum = sum * s2 + 1.0 / k;
	return -(2 * s * sum + exponent * 0.6931471805599453);
}

double one_minus_exp(double x)
{
	if (x > 40)
		return 1;
	int halvings = 0;
	for (; x > 0.0625; x /= 2)
		halvings++;
	// x - x^2/2! + x^3/3! - ..., then 1 - e^-2x = q (2 - q)
	double q = 0;
	for (int k = 9; k >= 1; k--)
		q = x / k * (1 - q);
	while (halvings-- > 0)
		q *= 2 - q;
	return q;
}

struct weight weigh(uint64_t size, uint64_t sample_bytes)
{
	if (sample_bytes == 1)
		return (struct weight){{1 << 16, size << 4}};
	double p = one_minus_exp(((double)size + 1) / (double)sample_bytes);
	double exact = 65536 / p + 0.5, most = (double)(WEIGHT_OBJECTS - 1023); // which a double holds
	uint64_t objects = (uint64_t)(exact < most ? exact : most);
	return (struct weight){{objects, (uint64_t)((double)objects * (double)size / 4096 + 0.5)}};
}

uint64_t draw_bytes_until_sample(uint64_t *random, uint64_t sample_bytes)
{
	if (sample_bytes == 1)
		return 0;
	*random += 0x9e3779b97f4a7c15ULL; // SplitMix64 (Steele, Lea, Flood)
	double u = ((double)(mix64(*random) >> 11) + 0.5) / 9007199254740992.0;
	return (uint64_t)(negative_log(u) * (double)sample_bytes);
}
