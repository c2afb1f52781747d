#include "hold.h"

#include <stdlib.h>

#include "levels.h"
#include "routes.h"

struct holding {
	long blocks, stacks;
};

static void allocate(void *argument)
{
	struct holding *h = argument;
	for (long i = 0; i < h->blocks; i++) {
		long stack = i % h->stacks;
		*(char *)routes_malloc((uint64_t)stack, 15, 16 + (size_t)(stack % 497)) = 1;
	}
}

void hold(long blocks, long stacks, long depth)
{
	struct holding h = {blocks, stacks};
	levels_down(depth, allocate, &h);
}
