// Defines a public name as a jump to a hook of package cgo. It is weak: a program that has a function or a variable of the name keeps
// it. So is what it jumps to, because the package is also linked alone, for the compiler's questions.
#ifdef __x86_64__
#define JUMP "endbr64\n\tjmp "
#else
#define JUMP "hint #34\n\tb "
#endif

#ifndef __has_feature
#define __has_feature(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || __has_feature(address_sanitizer) ||               \
	__has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define PUBLIC(name, hook) // nothing can be recorded, and a sanitizer has its own dlsym
#else
#define PUBLIC(name, hook)                                                                                             \
	__asm__(".text\n\t.p2align 4\n\t.weak " #name "\n\t.type " #name ", %function\n" #name ":\n\t.cfi_startproc\n\t" JUMP #hook \
		"\n\t.cfi_endproc\n\t.size " #name ", . - " #name "\n\t.weak " #hook "\n\t.hidden " #hook);
#endif
