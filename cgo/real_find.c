//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

#include "real_find.h"

#include <malloc.h>

#include "gate.h"
#include "real.h"
#include "real_mapped.h"
#include "real_nested.h"
#include "real_operators.h"

#define TRY_GIVES(name, arguments) REAL(free)(REAL(name) arguments);
#define TRY_STORES(name, arguments) \
	if (REAL(name) arguments == 0) \
		REAL(free)(p);
#define TRY_RESIZES TRY_GIVES
#define TRY_TAKES(name, arguments)
#define TRY(does, result, name, parameters, arguments) TRY_##does(name, arguments)

// Calls every function that may be implemented with others.
static void try_family(int unused)
{
	void *p;
	(void)unused;
	FAMILY_REAL(TRY)
}

// Many compilers have the linker leave out libraries for which it sees no use (--as-needed). It would see none for the program's
// allocator, because the hooks have all the names. So one function of the family has no hook where that can be: each allocator
// and libc have it, and this is a use of it. It also takes an allocator out of an archive. The function is not called: that of
// LeakSanitizer does not know NULL.
static void use_allocator(void)
{
#if defined(CGOHEAP_WRAP) || REAL_SANITIZED
#elif FAMILY_SIZED
	__asm__ volatile("" : : "r"(valloc));
#else
	__asm__ volatile("" : : "r"(malloc_usable_size));
#endif
}

static bool found;

void real_find(const void *own)
{
	if (real_called_hook() || found || !real_resolve(own)) // a hook that a trial calls is noted, although all is found by then
		return;
	found = true; // the look-ups that follow may call hooks
	real_find_operators();
	real_find_mapped();
}

void real_try(const void *own, const volatile struct linked *family, const volatile struct linked *mapped)
{
	real_find(own);
	if (!found)
		return;
	if (!real_gave_way(family, mapped)) // musl's calloc would get a block of the program's own malloc, and musl's free end the program
		real_nests = real_calls_hooks(try_family, 0);
	real_try_operators();
	use_allocator();
	gate_build();
}
