//go:build linux && cgo

#include <alloca.h>
#include <stdlib.h>

#include "victim.h"

/* The size of this frame is known only at run time: its CFA hangs on the frame pointer, whatever the flags say. */
VICTIM_SITE void *victim_alloca(size_t size)
{
	char *room = alloca(size);
	void *block;
	VICTIM_USE(room);
	block = malloc(size);
	VICTIM_USE(room);
	VICTIM_USE(block);
	return block;
}

/* The prologue rounds the stack pointer down, which loses the distance to the caller's frame. */
VICTIM_SITE void *victim_realigned_stack(size_t size)
{
	char room[256] __attribute__((aligned(64)));
	void *block;
	VICTIM_USE(room);
	block = malloc(size);
	VICTIM_USE(room);
	VICTIM_USE(block);
	return block;
}

/* Rounded down by an amount and grown by another: the CFA is saved in the frame and must be loaded from there. */
VICTIM_SITE void *victim_realigned_alloca(size_t size)
{
	char room[256] __attribute__((aligned(64))), *more = alloca(size);
	void *block;
	VICTIM_USE(room);
	VICTIM_USE(more);
	block = malloc(size);
	VICTIM_USE(room);
	VICTIM_USE(more);
	VICTIM_USE(block);
	return block;
}

#if defined(__x86_64__)
#define FRAME_POINTER "rbp"
#elif defined(__aarch64__)
#define FRAME_POINTER "x29"
#endif

/* During the call the frame pointer holds a number that is no address, as it may without -fno-omit-frame-pointer. */
VICTIM_SITE void *victim_frame_pointer_as_data(size_t size)
{
	register uintptr_t data __asm__(FRAME_POINTER) = size * 2 + 1;
	void *block;
	__asm__ volatile("" : "+r"(data));
	block = malloc(size);
	__asm__ volatile("" : "+r"(data));
	VICTIM_USE(block);
	return block;
}

VICTIM_SITE void *victim_recursion(unsigned depth, size_t size)
{
	void *block = depth ? victim_recursion(depth - 1, size) : malloc(size);
	VICTIM_USE(block);
	return block;
}

VICTIM_SITE static void *victim_tail_call(size_t size)
{
	return malloc(size);
}

VICTIM_SITE void *victim_caller_of_tail_call(size_t size)
{
	void *block = victim_tail_call(size);
	VICTIM_USE(block);
	return block;
}
