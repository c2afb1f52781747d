/* Names without a symbol table, which a test's binary does not have: the function that unwind data says an address is in
   is compared with those that tests ask for. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>

#include "victim.h"

extern void *_Unwind_FindEnclosingFunction(void *pc);

#define NAME(f) {#f, (void *)f}

static const struct {
	const char *name;
	void *function;
} names[] = {
	NAME(victim_malloc),
	NAME(victim_nocallback),
	NAME(victim_slide_left),
	NAME(victim_slide_right),
	NAME(victim_recursion),
	NAME(victim_call_go),
	NAME(victim_flies_home),
	NAME(victim_ends_with_a_call),
	NAME(victim_never_returns),
	NAME(victim_jumps),
	NAME(victim_longjmp),
	NAME(victim_fiber_body),
	NAME(victim_fiber),
	NAME(victim_jit_call),
	NAME(victim_broken_chain),
	NAME(victim_calloc),
	NAME(victim_realloc),
	NAME(victim_reallocarray),
	NAME(victim_posix_memalign),
	NAME(victim_aligned_alloc),
	NAME(victim_memalign),
	NAME(victim_valloc),
	NAME(victim_pvalloc),
	NAME(victim_strdup),
	NAME(victim_getline),
	NAME(victim_asprintf),
	NAME(victim_pool_open),
	NAME(victim_pool_carve),
	NAME(victim_je_malloc),
	NAME(victim_je_calloc),
	NAME(victim_je_aligned_alloc),
	NAME(victim_je_realloc),
	NAME(victim_je_mallocx),
	NAME(victim_je_rallocx),
	NAME(victim_je_xallocx),
	NAME(victim_je_posix_memalign),
	NAME(victim_cxx_new),
	NAME(victim_cxx_new_array),
};

const char *victim_function_at(uintptr_t address)
{
	void *function = _Unwind_FindEnclosingFunction((void *)address);
	Dl_info info;
	for (size_t i = 0; function && i < sizeof names / sizeof *names; i++)
		if (names[i].function == function)
			return names[i].name;
	return dladdr((void *)address, &info) ? info.dli_sname : NULL;
}
