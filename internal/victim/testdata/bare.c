#include <stdlib.h>

/* Built as a shared library and dlopened: assembly without unwind data. */

#define SITE __attribute__((noinline, visibility("default")))
#define USE(block) __asm__ volatile("" : : "r"(block) : "memory")

SITE void *bare_malloc(size_t size)
{
	void *block = malloc(size);
	USE(block);
	return block;
}

/* bare_assembly keeps a frame pointer. bare_misleading has a record there that leads into code, but not to an address
   after a call. */
#if defined(__x86_64__)
__asm__(".text\n"
	".globl bare_assembly, bare_misleading\n"
	".type bare_assembly, @function\n"
	".type bare_misleading, @function\n"
	"bare_assembly:\n"
	"	push %rbp\n"
	"	mov %rsp, %rbp\n"
	"	call bare_malloc@PLT\n"
	"	pop %rbp\n"
	"	ret\n"
	".size bare_assembly, . - bare_assembly\n"
	"	.fill 8, 1, 0x90\n"
	"bare_misleading:\n"
	"	push %rbp\n"
	"1:\n"
	"	lea 1b(%rip), %rax\n"
	"	push %rax\n"
	"	push $0\n"
	"	mov %rsp, %rbp\n"
	"	call bare_malloc@PLT\n"
	"	add $16, %rsp\n"
	"	pop %rbp\n"
	"	ret\n"
	".size bare_misleading, . - bare_misleading\n");
#elif defined(__aarch64__)
__asm__(".text\n"
	".globl bare_assembly, bare_misleading\n"
	".type bare_assembly, @function\n"
	".type bare_misleading, @function\n"
	"bare_assembly:\n"
	"	stp x29, x30, [sp, #-16]!\n"
	"	mov x29, sp\n"
	"	bl bare_malloc\n"
	"	ldp x29, x30, [sp], #16\n"
	"	ret\n"
	".size bare_assembly, . - bare_assembly\n"
	"bare_misleading:\n"
	"	stp x29, x30, [sp, #-32]!\n"
	"1:\n"
	"	adr x9, 1b\n"
	"	stp xzr, x9, [sp, #16]\n"
	"	add x29, sp, #16\n"
	"	bl bare_malloc\n"
	"	ldp x29, x30, [sp], #32\n"
	"	ret\n"
	".size bare_misleading, . - bare_misleading\n");
#endif

void *bare_assembly(size_t size), *bare_misleading(size_t size);

SITE void *bare_calls_assembly(size_t size)
{
	void *block = bare_assembly(size);
	USE(block);
	return block;
}

SITE void *bare_calls_misleading(size_t size)
{
	void *block = bare_misleading(size);
	USE(block);
	return block;
}
