// Hooks for a family that a library brings along, under names with a prefix. A file for each row of FAMILY_BROUGHT defines FAMILY_NAME and
// FAMILY_ROWS, the list of the family's functions, and includes this; it is made from family.h. brought_own.c is for one more, of the
// program that is built.
//
// The linker directs calls of such a function to its hook if the program was linked with --wrap=NAME, which a package in allocators
// asks for. It cannot do so for calls inside the object file that defines the function; there, allocators call each other for
// their own work. The real functions are weak, so that a program links that lacks some of them, or all: nothing calls the hook
// of a function that is not there.
#ifndef CGOHEAP_BROUGHT_H
#define CGOHEAP_BROUGHT_H

#ifndef CGOHEAP_WRAP
#define CGOHEAP_WRAP // for the names alone
#endif

#include <string.h>
#include <sys/auxv.h>

#include "family.h"
#include "hooks.h"

enum { ALONE = false, NESTS = true };

#define NO_BLOCK SIZE_MAX // not the size of a block: there is none

static inline size_t product(size_t count, size_t size)
{
	size_t total;
	return __builtin_mul_overflow(count, size, &total) ? SIZE_MAX : total; // which is refused
}

static inline size_t whole_pages(size_t size)
{
	size_t page = getauxval(AT_PAGESZ), whole = (size + page - 1) & ~(page - 1);
	return whole < size ? size : whole;
}

// The bytes of a text of 16-bit words, with its end.
static inline size_t wide_length(const unsigned short *text)
{
	size_t length = 0;
	while (text[length] != 0)
		length++;
	return (length + 1) * sizeof *text;
}

// Whether a block may be resized without being noticed.
static inline bool stays_unknown(uint32_t generation, const void *p, size_t size)
{
	return !gate_unbuilt(generation) && (p == NULL || (size != 0 && !live_maybe(p)));
}

// What count_down does for calls whose size is known only afterwards: begin_real works in threads that take part in the recording.
static inline void join(void)
{
	hooks_ready();
	(void)record_join();
}

static inline void record_made(const void *p, size_t size, uint64_t interval, const struct registers *caller)
{
	if (interval != 0 && p != NULL)
		record_block(&(struct allocation){p, size, interval, caller});
}

#define BROUGHT_GIVES(how, result, name, parameters, arguments, bytes) \
	static SLOW result slow_##name parameters \
	{ \
		struct registers caller = CALLER_REGISTERS(); \
		uint64_t interval = count_down(bytes); \
		uint64_t countdown = begin_real(how); \
		result made = REAL(name) arguments; \
		end_real(countdown); \
		record_made(made, bytes, interval, &caller); \
		return made; \
	} \
	result HOOK(name) parameters \
	{ \
		END_HOOK(!(how) && SKIPS(bytes), REAL(name) arguments, slow_##name arguments); \
	}

// If the other function returns NULL, this one does what it does then: it calls a new handler, tries again, or throws. What it
// allocates in the end is not seen.
#define BROUGHT_TRIES(first, result, name, parameters, arguments, bytes) \
	static SLOW result slow_##name parameters \
	{ \
		struct registers caller = CALLER_REGISTERS(); \
		uint64_t interval = count_down(bytes); \
		uint64_t countdown = begin_real(NESTS); \
		result made = REAL(first) arguments; \
		end_real(countdown); \
		if (made == NULL) \
			return REAL(name) arguments; \
		record_made(made, bytes, interval, &caller); \
		return made; \
	} \
	result HOOK(name) parameters \
	{ \
		END_HOOK(false, REAL(name) arguments, slow_##name arguments); \
	}

#define BROUGHT_COPIES(how, result, name, parameters, arguments, bytes) \
	static SLOW result slow_##name parameters \
	{ \
		struct registers caller = CALLER_REGISTERS(); \
		join(); \
		uint64_t countdown = begin_real(how); \
		result made = REAL(name) arguments; \
		end_real(countdown); \
		size_t holds = made == NULL ? NO_BLOCK : bytes; \
		if (holds != NO_BLOCK) \
			record_made(made, holds, count_down(holds), &caller); \
		return made; \
	} \
	result HOOK(name) parameters \
	{ \
		END_HOOK(false, REAL(name) arguments, slow_##name arguments); \
	}

#define BROUGHT_STORES(how, result, name, parameters, arguments, bytes) \
	static SLOW result slow_##name parameters \
	{ \
		struct registers caller = CALLER_REGISTERS(); \
		join(); \
		uint64_t countdown = begin_real(how); \
		result failed = REAL(name) arguments; \
		end_real(countdown); \
		size_t holds = failed != 0 || *to == NULL ? NO_BLOCK : bytes; \
		if (holds != NO_BLOCK) \
			record_made(*to, holds, count_down(holds), &caller); \
		return failed; \
	} \
	result HOOK(name) parameters \
	{ \
		END_HOOK(false, REAL(name) arguments, slow_##name arguments); \
	}

// The old block is forgotten before the call, because another thread may be given its address before the call returns.
#define BROUGHT_RESIZE(how, result, name, parameters, arguments, bytes, stays) \
	static SLOW result slow_##name parameters \
	{ \
		struct registers caller = CALLER_REGISTERS(); \
		struct forgotten old; \
		size_t asked = bytes; \
		uint64_t interval = count_down(asked); \
		record_forget(p, &old); \
		uint64_t countdown = begin_real(how); \
		result made = REAL(name) arguments; \
		end_real(countdown); \
		if (made == NULL && (stays)) \
			record_restore(p, &old); \
		else \
			record_move(&old, &(struct allocation){made, asked, made != NULL ? interval : 0, &caller}); \
		return made; \
	} \
	result HOOK(name) parameters \
	{ \
		END_HOOK(stays_unknown(generation, p, bytes) && !(how) && SKIPS(bytes), REAL(name) arguments, slow_##name arguments); \
	}

#define BROUGHT_RESIZES(how, result, name, parameters, arguments, bytes) \
	BROUGHT_RESIZE(how, result, name, parameters, arguments, bytes, true)
#define BROUGHT_EMPTIES(how, result, name, parameters, arguments, bytes) \
	BROUGHT_RESIZE(how, result, name, parameters, arguments, bytes, asked != 0)
#define BROUGHT_DROPS(how, result, name, parameters, arguments, bytes) \
	BROUGHT_RESIZE(how, result, name, parameters, arguments, bytes, false)

#define BROUGHT_SWAPS(how, result, name, parameters, arguments, bytes) \
	static SLOW result slow_##name parameters \
	{ \
		struct registers caller = CALLER_REGISTERS(); \
		struct forgotten old; \
		void *p = at == NULL ? NULL : *(void **)at; \
		uint64_t interval = count_down(bytes); \
		record_forget(p, &old); \
		uint64_t countdown = begin_real(how); \
		result failed = REAL(name) arguments; \
		end_real(countdown); \
		if (failed != 0) \
			record_restore(p, &old); \
		else \
			record_move(&old, &(struct allocation){*(void **)at, bytes, interval, &caller}); \
		return failed; \
	} \
	result HOOK(name) parameters \
	{ \
		END_HOOK(false, REAL(name) arguments, slow_##name arguments); \
	}

#define BROUGHT_FITS(how, result, name, parameters, arguments, bytes) \
	static SLOW result slow_##name parameters \
	{ \
		struct registers caller = CALLER_REGISTERS(); \
		struct forgotten old; \
		uint64_t interval = count_down(bytes); \
		record_forget(p, &old); \
		uint64_t countdown = begin_real(how); \
		result is = REAL(name) arguments; \
		end_real(countdown); \
		if (is < (bytes)) \
			record_restore(p, &old); \
		else \
			record_move(&old, &(struct allocation){p, bytes, interval, &caller}); \
		return is; \
	} \
	result HOOK(name) parameters \
	{ \
		END_HOOK(stays_unknown(generation, p, bytes) && !(how) && SKIPS(bytes), REAL(name) arguments, slow_##name arguments); \
	}

#define BROUGHT_TAKES(how, result, name, parameters, arguments, bytes) \
	static SLOW void slow_##name parameters \
	{ \
		hooks_ready(); \
		record_free(p); \
		REAL(name) arguments; \
	} \
	void HOOK(name) parameters \
	{ \
		END_HOOK(!gate_unbuilt(generation) && !live_maybe(p), REAL(name) arguments, slow_##name arguments); \
	}

#define BROUGHT_REAL(does, how, result, name, parameters, arguments, bytes) extern result REAL(name) parameters __attribute__((weak));
#define BROUGHT_DECLARATION(does, how, result, name, parameters, arguments, bytes) result HOOK(name) parameters;
#define BROUGHT_HOOK(does, how, result, name, parameters, arguments, bytes) \
	BROUGHT_##does(how, result, name, parameters, arguments, bytes)

FAMILY_ROWS(BROUGHT_REAL)

#pragma GCC visibility push(default)
FAMILY_ROWS(BROUGHT_DECLARATION)
FAMILY_ROWS(BROUGHT_HOOK)
#pragma GCC visibility pop

#endif
