// The arithmetic of sampling against libm, and against itself in bulk.
#include <math.h>

#include "../../weight.h"
#include "check.h"

static void logarithms(void)
{
	for (int i = 1; i < 1000000; i++) {
		double u = i / 1e6, want = -log(u);
		check(fabs(negative_log(u) - want) <= 1e-12 * fabs(want) + 1e-16);
	}
	for (int e = 1; e <= 54; e++)
		check(fabs(negative_log(ldexp(1, -e)) / -log(ldexp(1, -e)) - 1) < 1e-12);
}

static void probabilities(void)
{
	for (double x = 1e-15; x < 100; x *= 1.001)
		check(fabs(one_minus_exp(x) / -expm1(-x) - 1) < 1e-12);
	check(one_minus_exp(0) == 0);
}

static void everything(void)
{
	uint64_t random = 1;
	for (uint64_t size = 0; size < 1 << 20; size = size * 3 + 1) {
		struct weight w = weigh(size, 1);
		check(w.of[OBJECTS] == 1 << 16 && w.of[BYTES] == size << 4);
		check(draw_bytes_until_sample(&random, 1) == 0);
	}
}

static void distances(void)
{
	const int n = 4000000 / SCALE;
	const double mean = 524288;
	double sum = 0;
	uint64_t random = 42;
	for (int i = 0; i < n; i++)
		sum += (double)draw_bytes_until_sample(&random, 524288);
	check(fabs(sum / n - mean) < 4 * mean / sqrt(n)); // the standard deviation of an exponential is its mean
}

// The nearest number of units, by libm, up to the most that there is.
static void weights(void)
{
	for (double interval = 2; interval < 1e12; interval *= 1.7)
		for (uint64_t size = 0; size < 1ULL << 40; size = size * 3 + 1) {
			uint64_t every = (uint64_t)interval;
			double objects = 65536 / -expm1(-((double)size + 1) / (double)every);
			struct weight w = weigh(size, every);
			check(fabs((double)w.of[OBJECTS] - objects) <= 0.5 + 1e-12 * objects);
			check(fabs((double)w.of[BYTES] - (double)w.of[OBJECTS] * (double)size / 4096) <= 0.5 + 1e-15 * (double)w.of[BYTES]);
		}
	check(weigh(0, UINT64_MAX).of[OBJECTS] <= WEIGHT_OBJECTS && weigh(0, UINT64_MAX).of[OBJECTS] > WEIGHT_OBJECTS / 4 * 3);
}

static void worked_example(void)
{
	check(fabs(weigh(7, 524288).of[OBJECTS] / 65536.0 - 65536.5) < 0.001);
	check(fabs(weigh(8 << 20, 524288).of[OBJECTS] / 65536.0 - 1.0000001) < 1e-4);
}

int main(void)
{
	run("the logarithm is libm's", logarithms);
	run("the probability of a sample is libm's", probabilities);
	run("an interval of 1 records everything at its own weight", everything);
	run("drawn distances have the mean that was asked for", distances);
	run("a weight is the nearest number of units", weights);
	run("8 bytes at 512 KiB stand for 65536.5 blocks, 8 MiB for one", worked_example);
}
