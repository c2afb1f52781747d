// The calls that map and unmap memory, in one list: the hooks' names, the real functions and how they are found come from it, and
// from it cgo's test makes what the linker and Go must know (family_test.go). The rows have the form of family.h's, without a trial.
//
// To add a call: a row here, its hook in hooks_mapped.c and what stands in for it there; then go test ./cgo -run Family -update.
#ifndef CGOHEAP_MAPPED_CALLS_H
#define CGOHEAP_MAPPED_CALLS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "family.h"

// Hooks that ask the next function of the same name.
#define MAPPED_REAL(X) \
	X(GIVES, void *, mmap, (void *at, size_t length, int protection, int flags, int fd, off_t offset)) \
	X(TAKES, int, munmap, (void *at, size_t length)) \
	X(RESIZES, void *, mremap, (void *at, size_t length, size_t to_length, int flags, void *to)) \
	X(GIVES, int, brk, (void *limit)) \
	X(GIVES, void *, sbrk, (intptr_t more)) \
	X(GIVES, void *, shmat, (int segment, const void *at, int flags)) \
	X(TAKES, int, shmdt, (const void *at))

// Hooks that are made of other hooks.
#define MAPPED_MADE_OF(X) \
	X(GIVES, void *, mmap64, (void *at, size_t length, int protection, int flags, int fd, off_t offset))

// The hooks have names of their own in C, because libc's headers declare some of the functions with other parameters.
#ifdef CGOHEAP_WRAP
#define MAPPED_HOOK_SYMBOL(name) "__wrap_" #name
#define MAPPED_REAL_CALL(name) real_##name
#define MAPPED_REAL_DECLARATION(does, result, name, parameters) result real_##name parameters __asm__("__real_" #name);
MAPPED_REAL(MAPPED_REAL_DECLARATION)
#undef MAPPED_REAL_DECLARATION
#else
#define MAPPED_HOOK_SYMBOL(name) #name
#define MAPPED_REAL_CALL(name) cgoheap_real_mapped.name
#define MAPPED_POINTER(does, result, name, parameters) result(*name) parameters;
struct real_mapped {
	MAPPED_REAL(MAPPED_POINTER)
};
#undef MAPPED_POINTER
extern struct real_mapped cgoheap_real_mapped __attribute__((visibility("hidden")));
#endif

// Whether the hooks do more than to call the real functions: 0 if not; the sign bit while those are not known yet.
extern uint32_t cgoheap_mapped_watch __attribute__((visibility("hidden")));
#define MAPPED_WATCH_UNBUILT 0x80000000
#define MAPPED_WATCH_RECORD 1
#define MAPPED_WATCH_LEARN 2

#endif
