// The arithmetic of sampling against libm, and against itself in bulk.
#define _GNU_SOURCE
#include <fenv.h>
#include <math.h>

#include "../../weight.h"
#include "check.h"

// In units of 1.
static double log_of(uint64_t u)
{
	return ldexp((double)negative_log(u), -LOG_BITS);
}

static void logarithms(void)
{
	for (int i = 1; i < 1000000; i++) {
		uint64_t u = (uint64_t)ldexp(i / 1e6, 53) << 11; // which a double holds
		double want = -log(ldexp((double)u, -64));
		check(fabs(log_of(u) - want) <= 1e-12 * want + 1e-16);
	}
	for (int e = 0; e < 64; e++)
		check(fabs(log_of(1ULL << e) / -log(ldexp(1, e - 64)) - 1) < 1e-12);
	for (double x = ldexp(1, -54); x < 1; x *= 1.1) // u just below 1
		check(fabs(log_of(0 - (uint64_t)ldexp(x, 64)) + log1p(-x)) <= ldexp(3, -LOG_BITS) - 1e-12 * log1p(-x));
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

// The control bits and the flags of floating point.
static uint64_t environment(void)
{
#if defined(__x86_64__)
	uint16_t control, status;
	uint32_t sse;
	__asm__ volatile("fnstcw %0\n fnstsw %1\n stmxcsr %2" : "=m"(control), "=m"(status), "=m"(sse));
	return (uint64_t)sse << 32 | (uint64_t)control << 16 | status;
#else
	uint64_t control, status;
	__asm__ volatile("mrs %0, fpcr\n mrs %1, fpsr" : "=r"(control), "=r"(status));
	return control << 32 | status;
#endif
}

// Denormal numbers become zeroes, and x87 computes with 24 bits.
static void flush(void)
{
#if defined(__x86_64__)
	uint16_t control;
	uint32_t sse;
	__asm__ volatile("fnstcw %0\n stmxcsr %1" : "=m"(control), "=m"(sse));
	control &= (uint16_t)~0x300;
	sse |= 0x8040;
	__asm__ volatile("fldcw %0\n ldmxcsr %1" : : "m"(control), "m"(sse));
#else
	uint64_t control;
	__asm__ volatile("mrs %0, fpcr" : "=r"(control));
	__asm__ volatile("msr fpcr, %0" : : "r"(control | 1 << 24));
#endif
}

static uint64_t numbers(void)
{
	uint64_t random = 7, sum = 0;
	for (uint64_t interval = 3; interval < 1ULL << 40; interval = interval * 5 + 1)
		for (uint64_t size = 0; size < 1ULL << 40; size = size * 7 + 1) {
			struct weight w = weigh(size, interval);
			sum = sum * 31 + w.of[OBJECTS] * 3 + w.of[BYTES] + draw_bytes_until_sample(&random, interval);
		}
	return sum;
}

static void environments(void)
{
	const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
	uint64_t want = numbers();
	for (int i = 0; i < 8; i++) {
		check(fesetround(modes[i % 4]) == 0);
		if (i >= 4)
			flush();
		feclearexcept(FE_ALL_EXCEPT);
		feenableexcept(FE_ALL_EXCEPT); // not every machine has such exceptions
		uint64_t before = environment();
		check(numbers() == want && environment() == before);
		fesetenv(FE_DFL_ENV);
		feraiseexcept(FE_ALL_EXCEPT);
		before = environment();
		check(numbers() == want && environment() == before);
		fesetenv(FE_DFL_ENV);
	}
}

static void largest(void)
{
	check(weigh(UINT64_MAX, 2).of[OBJECTS] == 1 << 16 && weigh(UINT64_MAX, UINT64_MAX).of[OBJECTS] > 1 << 16);
}

int main(void)
{
	run("the logarithm is libm's", logarithms);
	run("an interval of 1 records everything at its own weight", everything);
	run("drawn distances have the mean that was asked for", distances);
	run("a weight is the nearest number of units", weights);
	run("no size is too large to be weighed", largest);
	run("the floating-point environment changes nothing, and does not change", environments);
	run("8 bytes at 512 KiB stand for 65536.5 blocks, 8 MiB for one", worked_example);
}
