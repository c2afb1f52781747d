//go:build linux && (amd64 || arm64) && cgo && !asan && !msan && cgoheap_operators && !cgoheap_wrap

// Hooks for operator new and delete. libstdc++ implements them with malloc and free, but jemalloc, tcmalloc and
// mimalloc have their own, which do not call the family. Those are recorded here. For operators of any other object,
// which may have pools of its own, the hooks only jump on, and what the operators take from malloc is recorded in
// malloc's hook. The hooks are weak: each operator that the program itself defines stays the program's.
//
// Which operators those are is found in real_operators.c.
//
// All shapes of new take a size and up to two more words, all shapes of delete a pointer and up to two more. Words that
// a shape does not have are passed on without being used. An exception of the real operator passes through the slow
// half, which has nothing to release then (-fexceptions).

#include "hooks.h"
#include "real_operators.h"

#if !REAL_SANITIZED

static SLOW void *slow_new(size_t size, uintptr_t a, uintptr_t b, int shape)
{
	struct registers caller = CALLER_REGISTERS();
	uint64_t interval = count_down(size);
	void *p = (real_news[shape].call != NULL ? real_news[shape].call : real_standard_new(shape))(size, a, b);
	if (interval != 0 && p != NULL)
		record_block(&(struct allocation){p, size, interval, &caller});
	return p;
}

static SLOW void slow_delete(void *p, uintptr_t a, uintptr_t b, int shape)
{
	hooks_ready();
	record_free(p);
	(real_deletes[shape].call != NULL ? real_deletes[shape].call : real_standard_delete())(p, a, b);
}

#define HOOK_NEW(shape, symbol)                                                                                        \
	__attribute__((weak, visibility("default"))) void *symbol(size_t size, uintptr_t a, uintptr_t b)               \
	{                                                                                                              \
		END_HOOK(real_news[shape].passes || SKIPS(size), real_news[shape].call(size, a, b), slow_new(size, a, b, shape)); \
	}

#define KEEPS(p) (!gate_unbuilt(generation) && !live_maybe(p))

#define HOOK_DELETE(shape, symbol)                                                                                     \
	__attribute__((weak, visibility("default"))) void symbol(void *p, uintptr_t a, uintptr_t b)                    \
	{                                                                                                              \
		END_HOOK(real_deletes[shape].passes || KEEPS(p), real_deletes[shape].call(p, a, b), slow_delete(p, a, b, shape)); \
	}

EACH_NEW(HOOK_NEW)
EACH_DELETE(HOOK_DELETE)

#endif
