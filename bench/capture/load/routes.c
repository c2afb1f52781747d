#include "routes.h"

#include <stdlib.h>

#include "levels.h"

static void *left(uint64_t turns, long routes, size_t size);
static void *right(uint64_t turns, long routes, size_t size);

#define BRANCH(side, bytes)                                                                                            \
	__attribute__((noinline)) static void *side(uint64_t turns, long routes, size_t size)                          \
	{                                                                                                              \
		FRAME(bytes);                                                                                          \
		void *p;                                                                                               \
		if (routes == 0)                                                                                       \
			p = malloc(size);                                                                              \
		else if (turns & 1)                                                                                    \
			p = right(turns >> 1, routes - 1, size);                                                       \
		else                                                                                                   \
			p = left(turns >> 1, routes - 1, size);                                                        \
		STAY;                                                                                                  \
		return p;                                                                                              \
	}
BRANCH(left, 24)
BRANCH(right, 56)

void *routes_malloc(uint64_t turns, long routes, size_t size)
{
	return left(turns, routes, size);
}
