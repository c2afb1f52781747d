//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

// Blocks of pools, arenas and devices, which the program reports: hooks without a real function. They have a fast half and a slow
// one, as malloc's hooks do, so a block's stack begins with the caller.

#include "cgoheap.h"

#include "hooks.h"
#include "labels.h"
#include "live.h"

// The table of blocks cannot keep them: such keys are no block's there. A pool that is exhausted returns 0.
static bool no_block(const void *p)
{
	return (uintptr_t)p <= RESERVED;
}

// No longer than one byte more than a label keeps. strlen may be bound by the loader at its first call.
static size_t length(const char *text)
{
	size_t n = 0;
	while (text != NULL && n <= LABEL_TEXT_BYTES && ((const volatile char *)text)[n] != 0)
		n++;
	return n;
}

static SLOW void slow_allocated(void *p, size_t size, const char *kind)
{
	struct registers caller = CALLER_REGISTERS();
	uint64_t interval = count_down(size);
	if (interval != 0 && !no_block(p))
		record_reported(&(struct allocation){p, size, interval, &caller}, &(struct kind){kind, length(kind), 0, 0});
}

static SLOW void slow_go_allocated(void *p, size_t size, const char *kind, size_t kind_size)
{
	struct registers caller = CALLER_REGISTERS();
	uint64_t interval = count_down(size);
	if (interval != 0 && !no_block(p))
		record_reported(&(struct allocation){p, size, interval, &caller}, &(struct kind){kind, kind_size, 0, 0});
}

static SLOW void slow_freed(void *p)
{
	hooks_ready();
	record_free(p);
}

static SLOW void slow_pool(void *chunk)
{
	hooks_ready();
	record_disuse(chunk);
}

// Go's way, with a kind of so many bytes, 0 for none; recording.go declares it.
void cgoheap_go_allocated(void *p, size_t size, const char *kind, size_t kind_size);
void cgoheap_go_allocated(void *p, size_t size, const char *kind, size_t kind_size)
{
	END_HOOK(SKIPS(size), (void)0, slow_go_allocated(p, size, kind, kind_size));
}

#pragma GCC visibility push(default)

void cgoheap_record_allocated(void *p, size_t size, const char *kind)
{
	END_HOOK(SKIPS(size), (void)0, slow_allocated(p, size, kind));
}

void cgoheap_record_freed(void *p)
{
	END_HOOK(!gate_unbuilt(generation) && !live_maybe(p), (void)0, slow_freed(p));
}

void cgoheap_record_pool(void *chunk)
{
	END_HOOK(!gate_unbuilt(generation) && !live_maybe(chunk), (void)0, slow_pool(chunk));
}

#pragma GCC visibility pop
