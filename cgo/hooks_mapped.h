// What the hooks of calls that map memory have in common: hooks_mapped.c, hooks_mapped_break.c and hooks_mapped_segment.c.
#ifndef CGOHEAP_HOOKS_MAPPED_H
#define CGOHEAP_HOOKS_MAPPED_H

#include "mapped_calls.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "hooks.h"
#include "machine.h"
#include "real_mapped.h"
#include "record_mapped.h"

#undef mmap64 // musl's is a macro

#define CALL(name) MAPPED_REAL_CALL(name)
#define WATCH() __atomic_load_n(&cgoheap_mapped_watch, __ATOMIC_ACQUIRE)

#define BY_GO(which) mapping_by_go((uintptr_t)__builtin_return_address(0), which)

// Ends a hook with a jump to the slow half while somebody watches, and for calls that are always noted; otherwise with a jump to
// the real function.
#define END_CALL(noted, real, slow)                                                                                    \
	do {                                                                                                           \
		if (likely(WATCH() == 0 && !(noted)))                                                                  \
			return real;                                                                                   \
		return slow;                                                                                           \
	} while (0)

// Weak, as the hooks of malloc are: an allocator in an archive may have such functions too.
#define DECLARATION(does, result, name, parameters) \
	__attribute__((weak, visibility("default"))) result hook_##name parameters __asm__(MAPPED_HOOK_SYMBOL(name));
MAPPED_REAL(DECLARATION)
MAPPED_MADE_OF(DECLARATION)
#undef DECLARATION

// Each hook's own name, beside the one that may mean another's function: see real_gave_way.
#ifdef CGOHEAP_WRAP
#define OWN_CALL(own, name)
#else
#define OWN_CALL(own, name) __typeof(hook_##name) own __attribute__((visibility("hidden"), alias(#name)));
#endif

// Whether the real functions are known. Nobody looks for them here: that tries the real malloc, which may be the caller, with a
// lock in its hand. Until the first block is allocated or our constructor runs, the kernel is called.
static inline bool ready(void)
{
	return likely((WATCH() & MAPPED_WATCH_UNBUILT) == 0);
}

static inline uintptr_t page_size(void)
{
	static uintptr_t page;
	uintptr_t known = __atomic_load_n(&page, __ATOMIC_RELAXED);
	if (known == 0)
		__atomic_store_n(&page, known = getauxval(AT_PAGESZ), __ATOMIC_RELAXED);
	return known;
}

// The whole pages that n bytes need; 0 where there are no such addresses.
static inline uintptr_t whole(uintptr_t n)
{
	uintptr_t page = page_size();
	return (n + page - 1) & ~(page - 1);
}

// Whether the kernel would look at a range of whole pages at all. It refuses others.
static inline bool sound(uintptr_t at, size_t length)
{
	return at % page_size() == 0 && whole(length) != 0 && at + whole(length) > at;
}

#endif
