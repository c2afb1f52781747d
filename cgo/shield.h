// Lets a hook touch a region that lies in a file. A page of a file that cannot be had is a SIGBUS for the thread that
// touches it, which box.c handles. The kernel ends a process for a SIGBUS that its thread blocks, so a thread unblocks it for
// as long. If what the page held is gone, the hook cannot go on: it lands where it began, and has recorded nothing.
#ifndef CGOHEAP_SHIELD_H
#define CGOHEAP_SHIELD_H

#include <stdbool.h>
#include <stdint.h>

#include "gate.h"
#include "thread.h"

// Whether the region lies in a file.
extern uint32_t cgoheap_boxed __attribute__((visibility("hidden")));

static inline bool shield_needed(void)
{
	return __builtin_expect(__atomic_load_n(&cgoheap_boxed, __ATOMIC_RELAXED), 0);
}

void shield_raise(struct shield *s);
void shield_lower(struct shield *s);

// Called where a hook has landed.
void shield_leave(struct shield *s);

// Does work in the region. A handler of the program's may interrupt it and call a hook.
#define SHIELDED(work)                                                                                                 \
	do {                                                                                                           \
		struct shield shield;                                                                                  \
		shield_raise(&shield);                                                                                 \
		if (!LANDS(shield.landing))                                                                            \
			work;                                                                                          \
		else                                                                                                   \
			shield_leave(&shield);                                                                         \
		shield_lower(&shield);                                                                                 \
	} while (0)

// Defines the function name, static or extern, which does what do_name does; shielded if that is needed.
#define SHIELDED_FUNCTION(storage, name, parameters, arguments)                                                              \
	static __attribute__((noinline, cold)) void shielded_##name parameters                                         \
	{                                                                                                              \
		SHIELDED(do_##name arguments);                                                                         \
	}                                                                                                              \
	storage void name parameters                                                                                       \
	{                                                                                                              \
		if (shield_needed())                                                                                   \
			shielded_##name arguments;                                                                     \
		else                                                                                                   \
			do_##name arguments;                                                                           \
	}

#endif
