/* Blocks that nothing points to, and as many like them that a table points to. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "worker.h"

enum { KEPT = 512 };
void *volatile stress_table[KEPT]; /* not static: a compiler drops what nobody reads */

SITE static void *stress_lost(size_t size)
{
	char *p = malloc(size);
	if (p != NULL)
		memset(p, 2, size);
	KEEP_FRAME();
	return p;
}

SITE static void *stress_kept(size_t size)
{
	char *p = malloc(size);
	if (p != NULL)
		memset(p, 1, size);
	KEEP_FRAME();
	return p;
}

/* Overwrites what calls before have left on the stack. */
SITE static void scrub(void)
{
	volatile char stack[32768];
	memset((void *)stack, 0, sizeof stack);
	KEEP_FRAME();
}

void stress_lose(size_t size)
{
	for (int i = 0; i < KEPT; i++) {
		stress_table[i] = stress_kept(size);
		*(volatile char *)stress_lost(size) = 2;
	}
	scrub();
}
