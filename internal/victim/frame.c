#include <alloca.h>
#include <stdlib.h>
#include <sys/mman.h>

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

static void *hooked;

static void call_malloc(void) { hooked = malloc(1000); }
static void call_free(void) { free(hooked); }
static void call_mmap(void) { hooked = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); }
static void call_munmap(void) { munmap(hooked, 4096); }

/* Paints the stack below its frame, but for what a function without a frame may use, and looks what changed. Not memset, which has
 * a frame. */
VICTIM_SITE static size_t stack_of(void (*call)(void))
{
	enum { PAINT = 0x5a, PAINTED = 16 << 10, LEAF = 128 };
	volatile char *sp, *at;
#if defined(__x86_64__)
	__asm__ volatile("mov %%rsp, %0" : "=r"(sp));
#else
	__asm__ volatile("mov %0, sp" : "=r"(sp));
#endif
	for (at = sp - PAINTED; at < sp - LEAF; at++)
		*at = PAINT;
	call();
	for (at = sp - PAINTED; at < sp && *at == PAINT; at++)
		;
	return (size_t)(sp - at);
}

VICTIM_SITE size_t victim_stack_of_hooks(void)
{
	void (*const calls[])(void) = {call_malloc, call_free, call_mmap, call_munmap};
	size_t most = 0, i;
	for (i = 0; i < sizeof calls / sizeof *calls; i++) {
		size_t now = stack_of(calls[i]);
		most = now > most ? now : most;
	}
	return most;
}
