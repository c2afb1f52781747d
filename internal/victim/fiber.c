#include <stdlib.h>

#include "victim.h"

#ifdef __GLIBC__
#include <ucontext.h>

struct fiber {
	ucontext_t own, caller;
	size_t size;
	void **blocks;
};

static __thread struct fiber *running;

VICTIM_SITE void victim_fiber_body(void)
{
	struct fiber *fiber = running;
	fiber->blocks[0] = malloc(fiber->size);
	swapcontext(&fiber->own, &fiber->caller);
	fiber->blocks[2] = malloc(fiber->size + 2);
	VICTIM_USE(fiber);
}

VICTIM_SITE void victim_fiber(size_t size, void **blocks)
{
	static char stack[64 << 10]; /* one fiber at a time */
	struct fiber fiber;
	fiber.size = size;
	fiber.blocks = blocks;
	running = &fiber;
	getcontext(&fiber.own);
	fiber.own.uc_stack.ss_sp = stack;
	fiber.own.uc_stack.ss_size = sizeof stack;
	fiber.own.uc_link = &fiber.caller;
	makecontext(&fiber.own, victim_fiber_body, 0);
	swapcontext(&fiber.caller, &fiber.own);
	blocks[1] = malloc(size + 1);
	swapcontext(&fiber.caller, &fiber.own);
	VICTIM_USE(&fiber);
}
#else
void victim_fiber_body(void)
{
}

void victim_fiber(size_t size, void **blocks)
{
	(void)size, (void)blocks;
}
#endif
