#include <setjmp.h>
#include <stdlib.h>

#include "victim.h"

struct flight {
	jmp_buf home;
	size_t size;
	void *block;
};

VICTIM_SITE __attribute__((noreturn)) void victim_flies_home(struct flight *flight)
{
	flight->block = malloc(flight->size);
	VICTIM_USE(flight);
	longjmp(flight->home, 1);
}

/* Its last instruction is a call: the address that it would return to belongs to whatever function follows. */
VICTIM_SITE __attribute__((noreturn)) void victim_ends_with_a_call(struct flight *flight)
{
	victim_flies_home(flight);
}

VICTIM_SITE void *victim_never_returns(size_t size)
{
	struct flight flight;
	flight.size = size;
	if (setjmp(flight.home) == 0)
		victim_ends_with_a_call(&flight);
	VICTIM_USE(&flight);
	return flight.block;
}

/* Of noreturn functions, the compiler warns that they call themselves forever. */
#pragma GCC diagnostic ignored "-Wpragmas"
#pragma GCC diagnostic ignored "-Winfinite-recursion"
VICTIM_SITE void victim_jumps(struct flight *flight, unsigned depth)
{
	if (depth == 0)
		victim_flies_home(flight);
	else
		victim_jumps(flight, depth - 1);
	VICTIM_USE(flight);
}

VICTIM_SITE struct victim_pair victim_longjmp(unsigned depth, size_t size)
{
	struct victim_pair pair;
	struct flight flight;
	flight.size = size;
	if (setjmp(flight.home) == 0)
		victim_jumps(&flight, depth);
	pair.first = flight.block;
	pair.second = malloc(size + 1);
	VICTIM_USE(&pair);
	return pair;
}
