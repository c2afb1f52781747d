//go:build linux && cgo

#include <stdatomic.h>
#include <stdlib.h>

#include "worker.h"

enum { CROWD = 100000, DEEPEST = 90, LARGEST = 2000 };

static _Atomic uint64_t crowded;

SITE static void *stress_crowding(unsigned depth, size_t size)
{
	void *p = depth == 0 ? malloc(size) : stress_crowding(depth - 1, size);
	__asm__ volatile("" : "+r"(p)::"memory");
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
		blocks[n % CROWD] = stress_crowding(stress_random() % DEEPEST, stress_random() % LARGEST);
		crowded++;
	}
	for (int i = 0; i < CROWD; i++)
		free(blocks[i]);
	free(blocks);
}
