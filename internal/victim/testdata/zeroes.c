/* Allocates from code without unwind data, whose stack has zeroes where asmcgocall keeps a goroutine and a depth. */

#if defined(__x86_64__)
__asm__(".text\n"
	".globl zeroes_malloc\n"
	".type zeroes_malloc, %function\n"
	"zeroes_malloc:\n"
	"	push %rbp\n"
	"	mov %rsp, %rbp\n"
	"	push $0\n"
	"	push $0\n"
	"	call malloc@PLT\n"
	"	leave\n"
	"	ret\n"
	".size zeroes_malloc, .-zeroes_malloc\n");
#else
__asm__(".text\n"
	".globl zeroes_malloc\n"
	".type zeroes_malloc, %function\n"
	"zeroes_malloc:\n"
	"	stp x29, x30, [sp, #-16]!\n"
	"	mov x29, sp\n"
	"	stp xzr, xzr, [sp, #-16]!\n"
	"	bl malloc\n"
	"	mov sp, x29\n"
	"	ldp x29, x30, [sp], #16\n"
	"	ret\n"
	".size zeroes_malloc, .-zeroes_malloc\n");
#endif
