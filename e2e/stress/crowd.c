//go:build linux && cgo

#include <stdatomic.h>
#include <stdlib.h>

#include "worker.h"

enum { CROWD = 100000, DEEPEST = 90, LARGEST = 2000 };

static _Atomic uint64_t crowded;

// stress_crowding calls itself from two places, as the bits of way say: there are more stacks than any table holds.
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

void stress_crowd(void)
{
	void **blocks = calloc(CROWD, sizeof *blocks);
	for (unsigned n = 0; !stress_ended(); n++) {
		free(blocks[n % CROWD]);
		blocks[n % CROWD] = stress_crowding(stress_random() % DEEPEST, stress_random(), stress_random() % LARGEST);
		crowded++;
	}
	for (int i = 0; i < CROWD; i++)
		free(blocks[i]);
	free(blocks);
}
