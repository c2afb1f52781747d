#include "many.h"

#include <stdlib.h>

enum { DEPTH = 20 };

static void *volatile kept;

static void left(unsigned path, int depth);
static void right(unsigned path, int depth);

// go_on calls left or right by the lowest bit of path, and allocates where the path ends.
static inline __attribute__((always_inline)) void go_on(unsigned path, int depth)
{
	if (depth == 0)
		kept = malloc(64);
	else if (path & 1)
		left(path >> 1, depth - 1);
	else
		right(path >> 1, depth - 1);
	__asm__ volatile(""); // no tail call
}

__attribute__((noinline)) static void left(unsigned path, int depth)
{
	go_on(path, depth);
}

__attribute__((noinline)) static void right(unsigned path, int depth)
{
	go_on(path, depth);
}

void many_stacks(int n)
{
	for (int i = 0; i < n; i++)
		left((unsigned)i, DEPTH);
}
