// How much of the stack a call takes: the stack is painted below it, and what changed is measured.
#ifndef PAINT_H
#define PAINT_H

#include <stddef.h>
#include <stdint.h>

#define PAINT 0x5a
#define PAINTED (16 << 10) // bytes

static size_t deepest;
static const char *deepest_in;

static inline __attribute__((always_inline)) uintptr_t stack_pointer(void)
{
	uintptr_t sp;
#if defined(__x86_64__)
	__asm__ volatile("mov %%rsp, %0" : "=r"(sp));
#else
	__asm__ volatile("mov %0, sp" : "=r"(sp));
#endif
	return sp;
}

// What is measured has the frame of the function that is called. No memset, which has a frame.
static __attribute__((noinline)) void measure(const char *name, void (*call)(void))
{
	uintptr_t sp = stack_pointer(), at;
	for (at = sp - PAINTED; at < sp - 128; at++)
		*(volatile char *)at = PAINT;
	call();
	for (at = sp - PAINTED; at < sp && *(volatile char *)at == PAINT; at++)
		;
	if (sp - at > deepest) {
		deepest = sp - at;
		deepest_in = name;
	}
}

#endif
