#include <stdatomic.h>
#include <stdlib.h>

#include "worker.h"

// One stack allocates more blocks than the smallest tables hold, so that each table becomes full, in whatever order they fill.
enum { CROWD = 100000, DEEPEST = 90, LARGEST = 2000, ALIKE = 1000000, SMALL = 16 };

static _Atomic uint64_t crowded;

// stress_crowding calls itself from two call sites, chosen by the bits of way: there are more stacks than any table holds.
SITE static void *stress_crowding(unsigned depth, uint32_t way, size_t size)
{
	void *p;
	if (depth == 0) {
		p = malloc(size);
		KEEP_FRAME();
	} else if (way % 2 == 0) {
		p = stress_crowding(depth - 1, way / 2, size);
		__asm__ volatile("# even" ::: "memory");
	} else {
		p = stress_crowding(depth - 1, way / 2 | 1u << 31, size);
		__asm__ volatile("# odd" ::: "memory");
	}
	return p;
}

uint64_t stress_crowded(void)
{
	return crowded;
}

static void exchange(void **block, void *other)
{
	free(*block);
	*block = other;
	crowded++;
}

static void free_all(void **blocks, int number)
{
	for (int i = 0; i < number; i++)
		free(blocks[i]);
	free(blocks);
}

void stress_crowd(void)
{
	void **blocks = calloc(CROWD, sizeof *blocks), **alike = calloc(ALIKE, sizeof *alike);
	for (unsigned n = 0; !stress_ended(); n++) {
		void *p = stress_crowding(stress_random() % DEEPEST, stress_random(), stress_random() % LARGEST);
		exchange(&blocks[n % CROWD], p);
		for (unsigned i = 0; i < 4; i++)
			exchange(&alike[(4 * n + i) % ALIKE], stress_crowding(0, 0, SMALL));
	}
	free_all(blocks, CROWD);
	free_all(alike, ALIKE);
}
