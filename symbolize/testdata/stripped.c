/* A library of which little is left when it is stripped: entry, and a function of assembly whose size nobody wrote down. */

#define LOCAL static __attribute__((noinline, noclone))

int outside(int); /* called through a stub */

LOCAL int first(int n)
{
	return outside(n) + 1;
}

LOCAL int second(int n)
{
	return outside(n) * 3 + first(n);
}

int entry(int n)
{
	return second(n) + first(n + 1);
}

__asm__(".text\n"
	".globl unsized\n"
	".type unsized, %function\n"
	"unsized:\n"
	".cfi_startproc\n"
	"nop\n"
	"ret\n"
	".cfi_endproc\n"
	".p2align 4\n"
	".type neighbour, %function\n"
	"neighbour:\n"
	".cfi_startproc\n"
	"nop\n"
	"ret\n"
	".cfi_endproc\n"
	".size neighbour, . - neighbour\n"
	".p2align 4\n"
	".type bare, %function\n"
	"bare:\n"
	"nop\n"
	"ret\n"
	".size bare, . - bare\n");
