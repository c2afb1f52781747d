// Holds a block at the end of each of many paths through a hundred functions.

#include "many.h"

#include <stdlib.h>

#define FAN 100

typedef void (*step)(uint64_t path, int depth, size_t size);

static void *kept;
static const step steps[FAN];

static __attribute__((noinline)) void hold(size_t size)
{
	void **block = malloc(size);
	if (block == NULL)
		return;
	*block = kept;
	kept = block;
}

// Nothing is called at a function's end, so each has a frame.
#define STEP(n)                                                                               \
	static __attribute__((noinline)) void work_##n(uint64_t path, int depth, size_t size) \
	{                                                                                     \
		if (depth == 0)                                                               \
			hold(size + n % 2);                                                   \
		else                                                                          \
			steps[path % FAN](path / FAN ^ path << 20, depth - 1, size);          \
		__asm__ volatile("");                                                         \
	}
#define NAME(n) work_##n,
#define TEN(of, t) of(t##0) of(t##1) of(t##2) of(t##3) of(t##4) of(t##5) of(t##6) of(t##7) of(t##8) of(t##9)
#define ALL(of) \
	TEN(of, 1) TEN(of, 2) TEN(of, 3) TEN(of, 4) TEN(of, 5) TEN(of, 6) TEN(of, 7) TEN(of, 8) TEN(of, 9) TEN(of, 10)

ALL(STEP)

static const step steps[FAN] = {ALL(NAME)};

void many_hold(uint64_t number, int depth, size_t size)
{
	uint64_t path = number * 0x9e3779b97f4a7c15u;
	steps[path % FAN](path / FAN, depth, size);
	__asm__ volatile("");
}

void many_lend(size_t size, int times)
{
	void *blocks[MANY_LENT];
	for (int i = 0; i < times; i++)
		blocks[i] = malloc(size);
	for (int i = 0; i < times; i++)
		free(blocks[i]);
}

// The units are linked in by the build that measures. Without them this builds, too.
extern long run_units(int n) __attribute__((weak));

long many_units(void)
{
	return run_units == NULL ? 0 : run_units(1);
}
