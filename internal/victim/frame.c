#include <alloca.h>
#include <stdlib.h>

#include "victim.h"

/* The size of this frame is known only at run time: its CFA depends on the frame pointer, whatever the flags are. */
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
VICTIM_SITE void *victim_with_frame_pointer(uintptr_t number, void *(*call)(uintptr_t, uintptr_t), uintptr_t a, uintptr_t b)
{
	register uintptr_t data __asm__("rbp") = number;
	void *result;
	__asm__ volatile("" : "+r"(data));
	result = call(a, b);
	__asm__ volatile("" : "+r"(data));
	VICTIM_USE(result);
	return result;
}
#elif defined(__aarch64__)
/* Compilers never do this, and do not save x29 if told to. */
__asm__(".text\n"
	".type victim_with_frame_pointer, %function\n"
	".global victim_with_frame_pointer\n"
	"victim_with_frame_pointer:\n"
	"	.cfi_startproc\n"
	"	stp x29, x30, [sp, #-16]!\n"
	"	.cfi_def_cfa_offset 16\n"
	"	.cfi_offset 29, -16\n"
	"	.cfi_offset 30, -8\n"
	"	mov x29, x0\n"
	"	mov x4, x1\n"
	"	mov x0, x2\n"
	"	mov x1, x3\n"
	"	blr x4\n"
	"	ldp x29, x30, [sp], #16\n"
	"	.cfi_restore 29\n"
	"	.cfi_restore 30\n"
	"	.cfi_def_cfa_offset 0\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size victim_with_frame_pointer, . - victim_with_frame_pointer\n");
#endif

VICTIM_SITE static void *allocate(uintptr_t size, uintptr_t unused)
{
	void *block = malloc(size);
	(void)unused;
	VICTIM_USE(block);
	return block;
}

VICTIM_SITE void *victim_frame_pointer_as_data(size_t size)
{
	void *block = victim_with_frame_pointer(size * 2 + 1, allocate, size, 0);
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
