#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>

#include "victim.h"
#include "walk.h"

/* The processor's: SIGTRAP after each instruction, but not in the handler, which ends it. */
#define TRAP_FLAG 0x100
static volatile sig_atomic_t stepping;

static void handler(int number, siginfo_t *info, void *context)
{
	(void)number, (void)info, (void)context;
	victim_walk_both();
#if defined(__x86_64__)
	if (!stepping)
		((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
#elif defined(__aarch64__)
	if (number == SIGTRAP) /* pc is at the instruction, not behind it */
		((ucontext_t *)context)->uc_mcontext.pc += 4;
#endif
}

/* Runs body with the handler in place; it interrupts code that is no call. */
static void with_handler(int number, void (*body)(void))
{
	struct sigaction action, before;
	memset(&action, 0, sizeof action);
	action.sa_sigaction = handler;
	action.sa_flags = SA_SIGINFO | SA_ONSTACK;
	if (sigaction(number, &action, &before))
		return;
	body();
	sigaction(number, &before, NULL);
}

static VICTIM_SITE void raise_one(void)
{
	int result = raise(SIGXCPU);
	VICTIM_USE(&result);
}

VICTIM_SITE void victim_walk_from_raise(void)
{
	with_handler(SIGXCPU, raise_one);
	VICTIM_USE(handler);
}

/* It saves nothing: on arm64, not even its return address. */
static VICTIM_SITE void trap(void)
{
#if defined(__x86_64__)
	__asm__ volatile("int3");
#elif defined(__aarch64__)
	__asm__ volatile("brk #0");
#endif
}

static VICTIM_SITE void trap_below(void)
{
	trap();
	VICTIM_USE(handler);
}

#if defined(__x86_64__)
/* Through a stub of the linkage table, into libc and back, so that the handler strikes at each instruction of prologues, stubs
   and epilogues. The first is the one after popfq: between push and pop no unwind data would hold. The red zone is not used:
   there are calls. */
static VICTIM_SITE void step(void)
{
	char text[16];
	stepping = 1;
	__asm__ volatile("pushfq\n\torq %0, (%%rsp)\n\tpopfq" : : "i"(TRAP_FLAG) : "memory", "cc");
	int length = snprintf(text, sizeof text, "%d", 42);
	stepping = 0;
	VICTIM_USE(&length);
}

VICTIM_SITE void victim_walk_from_steps(void)
{
	with_handler(SIGTRAP, step);
	VICTIM_USE(handler);
}
#else
void victim_walk_from_steps(void)
{
	victim_walk_from_trap();
}
#endif

VICTIM_SITE void victim_walk_from_trap(void)
{
	with_handler(SIGTRAP, trap_below);
	VICTIM_USE(handler);
}
