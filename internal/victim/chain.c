/* Code of this file that no unwind data describes: assembly without .cfi directives. There is only the frame pointer. */

#include <stdlib.h>

#include "victim.h"

/* void *victim_without_cfi(void *(*allocate)(size_t), size_t size, void *frame_pointer) calls allocate(size) with that frame
   pointer, or with its own, as a function that keeps one, for NULL. */
void *victim_without_cfi(void *(*allocate)(size_t), size_t size, void *frame_pointer);
extern char victim_without_cfi_end[];

#if defined(__x86_64__)
__asm__(".text\n"
	".global victim_without_cfi, victim_without_cfi_end\n"
	".type victim_without_cfi, @function\n"
	"victim_without_cfi:\n"
	"	push %rbp\n"
	"	mov %rsp, %rbp\n"
	"	test %rdx, %rdx\n"
	"	cmovne %rdx, %rbp\n"
	"	mov %rdi, %rax\n"
	"	mov %rsi, %rdi\n"
	"	call *%rax\n"
	"	pop %rbp\n"
	"	ret\n"
	"victim_without_cfi_end:\n"
	"	nop\n"
	".size victim_without_cfi, . - victim_without_cfi\n");
#elif defined(__aarch64__)
__asm__(".text\n"
	".global victim_without_cfi, victim_without_cfi_end\n"
	".type victim_without_cfi, %function\n"
	"victim_without_cfi:\n"
	"	stp x29, x30, [sp, #-16]!\n"
	"	mov x29, sp\n"
	"	cmp x2, #0\n"
	"	csel x29, x29, x2, eq\n"
	"	mov x9, x0\n"
	"	mov x0, x1\n"
	"	blr x9\n"
	"	ldp x29, x30, [sp], #16\n"
	"	ret\n"
	"victim_without_cfi_end:\n"
	"	nop\n"
	".size victim_without_cfi, . - victim_without_cfi\n");
#endif

/* Values of the frame pointer that are not frame pointers: each points to a record {caller's, return address} on the
   stack, or to none. NULL is a sound one. */
static void *pointer_for(enum victim_chain kind, uintptr_t *record)
{
	switch (kind) {
	case VICTIM_CHAIN_WHOLE:
		return NULL;
	case VICTIM_CHAIN_ODD:
		return (char *)record + 1;
	case VICTIM_CHAIN_UNMAPPED:
		return (void *)8;
	case VICTIM_CHAIN_BELOW: /* where callees will have their frames, or had */
		return (char *)record - (16 << 10);
	case VICTIM_CHAIN_FAR:
		return (char *)record + (2 << 20);
	default:
		return record;
	}
}

/* The return address in the record. */
static uintptr_t return_address_for(enum victim_chain kind, const uintptr_t *record, uintptr_t code, uintptr_t sound)
{
	switch (kind) {
	case VICTIM_CHAIN_DATA:
		return 42;
	case VICTIM_CHAIN_STACK: /* not code */
		return (uintptr_t)record;
	case VICTIM_CHAIN_FUNCTION: /* code, but nothing returns there */
		return (uintptr_t)victim_malloc;
	case VICTIM_CHAIN_MIDDLE:
		return (uintptr_t)victim_malloc + 1;
	case VICTIM_CHAIN_CODE: /* the code itself, but not after a call */
		return code + 12;
	case VICTIM_CHAIN_ZERO:
		return 0;
	default:
		return sound;
	}
}

static inline __attribute__((always_inline)) void *
broken_chain(void *(*code)(void *(*)(size_t), size_t, void *), enum victim_chain kind, size_t size)
{
	uintptr_t room[64] = {0}, *record = &room[32];
	void *block;
	record[0] = (uintptr_t)&room[40];
	record[1] = return_address_for(kind, record, (uintptr_t)code, (uintptr_t)__builtin_return_address(0));
	VICTIM_USE(room);
	block = code(malloc, size, pointer_for(kind, record));
	VICTIM_USE(room);
	return block;
}

VICTIM_SITE void *victim_broken_chain(enum victim_chain kind, size_t size)
{
	return broken_chain(victim_without_cfi, kind, size);
}

VICTIM_SITE void *victim_made_chain(void *made, enum victim_chain kind, size_t size)
{
	return broken_chain(made, kind, size);
}

void *victim_jit_copy(void)
{
	return victim_jit_put((void *)victim_without_cfi, victim_without_cfi_end - (char *)victim_without_cfi);
}

int victim_in_code_without_cfi(uintptr_t address)
{
	return address - (uintptr_t)victim_without_cfi < (uintptr_t)victim_without_cfi_end - (uintptr_t)victim_without_cfi;
}
