//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

// libc keeps the bounds of a thread's stack in the thread's control block. pthread_getattr_np returns them, but must not be
// called from malloc. So a thread with a known stack looks once for the two words of its control block that have them:
//
//	glibc  the lowest address, and the size
//	musl   the end, and the size
//
// The same words of any other thread then have that thread's bounds. If there are no such words, or several, bounds
// stay unknown.

#define _GNU_SOURCE
#include "bounds.h"

#include <pthread.h>
#include <signal.h>
#include <stddef.h>

#include "machine.h"
#include "pages.h"

#define STACK (4 << 20) // thread-local variables of the program are on it too; only what is written takes memory

// The words may be in this range, relative to the thread pointer. The frames of functions are elsewhere.
#if defined(__x86_64__)
#define FIRST 0
#define LIMIT 2560
#else
#define FIRST (-2560)
#define LIMIT 0
#endif

static struct {
	enum { UNKNOWN, LOWEST_AND_SIZE, END_AND_SIZE } form;
	ptrdiff_t offset; // from the thread pointer
} words;
static bool allowed = true;

static const uintptr_t *words_at(ptrdiff_t offset)
{
	return (const uintptr_t *)(thread_pointer() + offset);
}

// Returns which form the two words at offset have, in a thread whose stack begins at lo.
static int form_at(ptrdiff_t offset, uintptr_t lo)
{
	const uintptr_t *word = words_at(offset);
	if (word[0] == lo && word[1] == STACK)
		return LOWEST_AND_SIZE;
	return word[1] > STACK / 2 && word[1] <= STACK && word[0] - word[1] == lo ? END_AND_SIZE : UNKNOWN;
}

static void *look(void *stack)
{
	uintptr_t lo = (uintptr_t)stack, at = thread_pointer();
	int found = 0;
	for (ptrdiff_t offset = FIRST; offset < LIMIT; offset += sizeof at) {
		bool inside = at + offset >= lo && at + offset + 2 * sizeof at <= lo + STACK;
		int form = inside ? form_at(offset, lo) : UNKNOWN;
		if (form == UNKNOWN)
			continue;
		words.form = form;
		words.offset = offset;
		found++;
	}
	if (found != 1)
		words.form = UNKNOWN;
	return NULL;
}

// Signals are for the program's threads.
static void look_on(void *stack)
{
	pthread_attr_t attributes;
	pthread_t thread;
	sigset_t all, before;
	sigfillset(&all);
	if (pthread_attr_init(&attributes) != 0)
		return;
	if (pthread_attr_setstack(&attributes, stack, STACK) == 0 && pthread_sigmask(SIG_SETMASK, &all, &before) == 0) {
		if (pthread_create(&thread, &attributes, look, stack) == 0)
			pthread_join(thread, NULL);
		pthread_sigmask(SIG_SETMASK, &before, NULL);
	}
	pthread_attr_destroy(&attributes);
}

void bounds_prepare(void)
{
	void *stack = words.form == UNKNOWN ? pages_map(STACK) : NULL;
	if (stack == NULL)
		return;
	look_on(stack);
	pages_unmap(stack, STACK);
}

bool bounds_now(struct bounds *b)
{
	if (words.form == UNKNOWN || !allowed)
		return false;
	const uintptr_t *word = words_at(words.offset);
	b->lo = words.form == END_AND_SIZE ? word[0] - word[1] : word[0];
	b->hi = b->lo + word[1];
	return b->lo < b->hi;
}

bool bounds_words(struct bounds_words *w)
{
	*w = (struct bounds_words){.thread = (uintptr_t)pthread_self(), .words = (uintptr_t)words_at(words.offset), .end = words.form == END_AND_SIZE};
	return words.form != UNKNOWN && allowed;
}

void bounds_allow(bool allow)
{
	allowed = allow;
}
