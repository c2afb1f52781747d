/* Code that was made at run time: it lies in no file, and nothing says how to unwind it. */

#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "victim.h"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

enum { PAGE = 4096 };

/* void *f(void *(*allocate)(size_t), size_t size) { return allocate(size); }, without and with a frame pointer. */
#if defined(__x86_64__)
static const unsigned char code[2][32] = {
	{0x48, 0x83, 0xec, 0x08,  /* sub rsp, 8 */
	 0x48, 0x89, 0xf8,        /* mov rax, rdi */
	 0x48, 0x89, 0xf7,        /* mov rdi, rsi */
	 0xff, 0xd0,              /* call rax */
	 0x48, 0x83, 0xc4, 0x08,  /* add rsp, 8 */
	 0xc3},                   /* ret */
	{0x55,                    /* push rbp */
	 0x48, 0x89, 0xe5,        /* mov rbp, rsp */
	 0x48, 0x89, 0xf8,        /* mov rax, rdi */
	 0x48, 0x89, 0xf7,        /* mov rdi, rsi */
	 0xff, 0xd0,              /* call rax */
	 0x5d,                    /* pop rbp */
	 0xc3},                   /* ret */
};
#elif defined(__aarch64__)
static const unsigned code[2][8] = {
	{0xf81f0ffe,  /* str x30, [sp, #-16]! */
	 0xaa0003e9,  /* mov x9, x0 */
	 0xaa0103e0,  /* mov x0, x1 */
	 0xd63f0120,  /* blr x9 */
	 0xf84107fe,  /* ldr x30, [sp], #16 */
	 0xd65f03c0}, /* ret */
	{0xa9bf7bfd,  /* stp x29, x30, [sp, #-16]! */
	 0x910003fd,  /* mov x29, sp */
	 0xaa0003e9,  /* mov x9, x0 */
	 0xaa0103e0,  /* mov x0, x1 */
	 0xd63f0120,  /* blr x9 */
	 0xa8c17bfd,  /* ldp x29, x30, [sp], #16 */
	 0xd65f03c0}, /* ret */
};
#endif

static void *finish(void *page, const void *from, size_t size)
{
	memcpy(page, from, size);
	__builtin___clear_cache(page, (char *)page + size);
	mprotect(page, PAGE, PROT_READ | PROT_EXEC);
	return page;
}

void *victim_jit_make(uintptr_t at, int frame_pointer)
{
	int fixed = at ? MAP_FIXED_NOREPLACE : 0;
	void *page = mmap((void *)at, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | fixed, -1, 0);
	if (page == MAP_FAILED)
		return NULL;
	if (at && page != (void *)at) {
		munmap(page, PAGE);
		return NULL;
	}
	return finish(page, code[frame_pointer], sizeof code[0]);
}

void *victim_jit_put(const void *from, size_t size)
{
	void *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return page == MAP_FAILED ? NULL : finish(page, from, size);
}

/* void *f(size_t size) { return inner(size); }, with inner's address behind the code. */
#if defined(__x86_64__)
static const unsigned char around[] = {
	0x55,                         /* push rbp */
	0x48, 0x89, 0xe5,             /* mov rbp, rsp */
	0xff, 0x15, 6,    0,    0, 0, /* call [rip + 6] */
	0x5d,                         /* pop rbp */
	0xc3,                         /* ret */
	0x90, 0x90, 0x90, 0x90,
};
#elif defined(__aarch64__)
static const unsigned around[] = {
	0xa9bf7bfd, /* stp x29, x30, [sp, #-16]! */
	0x910003fd, /* mov x29, sp */
	0x58000089, /* ldr x9, .+16 */
	0xd63f0120, /* blr x9 */
	0xa8c17bfd, /* ldp x29, x30, [sp], #16 */
	0xd65f03c0, /* ret */
};
#endif

void *victim_jit_around(void *made)
{
	void *(*inner)(size_t) = made ? (void *(*)(size_t))made : malloc;
	char whole[sizeof around + sizeof inner];
	memcpy(whole, around, sizeof around);
	memcpy(whole + sizeof around, &inner, sizeof inner);
	return victim_jit_put(whole, sizeof whole);
}

VICTIM_SITE void *victim_jit_call_around(void *made, size_t size)
{
	void *block = ((void *(*)(size_t))made)(size);
	VICTIM_USE(block);
	return block;
}

VICTIM_SITE void *victim_jit_call(void *made, size_t size)
{
	void *block = ((void *(*)(void *(*)(size_t), size_t))made)(malloc, size);
	VICTIM_USE(block);
	return block;
}

void victim_jit_drop(void *made)
{
	munmap(made, PAGE);
}
