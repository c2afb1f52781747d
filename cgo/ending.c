//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

// A service that is restarted in order ends as one that crashes does, for all that can be seen of its black box: a Go program
// that returns from main or calls os.Exit runs no code of ours. What tells them apart are the signals that came before. Our handler
// stands before the one of Go's runtime, stores a word in the region's header, and calls the other as the kernel would have. So the
// program does what it did without us.

#define _GNU_SOURCE
#include "ending.h"

#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>

#include "action.h"
#include "clock.h"
#include "machine.h"
#include "region.h"
#include "shield.h"
#include "waker.h"

#define MOST 32 // above the highest signal that is noted

static uint32_t noted;                // a bit for each signal
static struct sigaction behind[MOST]; // kept after ending_end for a handler that still runs

static bool relays;      // the latest signal was one that is_relayed
static uint32_t running; // handlers that have not returned

// With GOTRACEBACK=crash, Go's runtime does not end at once when a signal ends it. From that signal's handler, it sends SIGQUIT to its
// process, once for each thread, and then SIGABRT: the signal before them is why. The handler of a signal that a program survives returns.
static bool is_relayed(int number, const siginfo_t *info)
{
	bool own = info->si_code <= 0 && info->si_pid == system_call(SYS_getpid, 0, 0, 0, 0);
	bool quits = number == SIGQUIT, aborts = number == SIGABRT && __atomic_load_n(&relays, __ATOMIC_RELAXED);
	bool relayed = own && (quits || aborts) && __atomic_load_n(&running, __ATOMIC_RELAXED) != 0;
	__atomic_store_n(&relays, relayed, __ATOMIC_RELAXED);
	return relayed;
}

static void do_ending_note(int number, const siginfo_t *info)
{
	if (cgoheap_region == NULL || !region_here() || is_relayed(number, info))
		return;
	uint64_t *note = number == SIGTERM || number == SIGINT || number == SIGQUIT ? &cgoheap_region->asked_to_end : &cgoheap_region->faulted;
	__atomic_store_n(note, (clock_now() & ~(uint64_t)ENDING_SIGNAL) | (uint64_t)number, __ATOMIC_RELAXED);
}

// A file that was made shorter may lack the header's page, and the handler's mask has SIGBUS.
SHIELDED_FUNCTION(extern, ending_note, (int number, const siginfo_t *info), (number, info))

static void on_signal(int number, siginfo_t *info, void *context)
{
	ending_note(number, info);
	__atomic_fetch_add(&running, 1, __ATOMIC_RELAXED);
	behind[number].sa_sigaction(number, info, context);
	__atomic_fetch_sub(&running, 1, __ATOMIC_RELAXED);
}

static struct sigaction ours_before(const struct sigaction *before)
{
	struct sigaction ours = *before;
	ours.sa_sigaction = on_signal;
	return ours;
}

static bool stands(int number)
{
	struct sigaction now;
	return sigaction(number, NULL, &now) == 0 && (now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == on_signal;
}

static bool is_noted(int number)
{
	return (__atomic_load_n(&noted, __ATOMIC_ACQUIRE) >> number & 1) != 0;
}

// After signal.Ignore and another signal.Notify, Go's handler is there alone.
static uint32_t put_back(void)
{
	for (int number = 1; number < MOST; number++) {
		struct sigaction ours = ours_before(&behind[number]);
		if (is_noted(number) && action_replace(number, &behind[number], &ours) && !is_noted(number))
			(void)action_replace(number, &ours, &behind[number]); // ending_end was faster
	}
	return 0;
}

bool ending_begin(int number)
{
	if (number <= 0 || number >= MOST)
		return false;
	if (!stands(number)) {
		if (!action_of(number, &behind[number]) || (behind[number].sa_flags & SA_SIGINFO) == 0)
			return false;
		struct sigaction ours = ours_before(&behind[number]);
		if (!action_replace(number, &behind[number], &ours))
			return false;
	}
	__atomic_fetch_or(&noted, 1U << number, __ATOMIC_ACQ_REL);
	waker_each_second(put_back);
	return true;
}

void ending_end(int number)
{
	if (number <= 0 || number >= MOST)
		return;
	struct sigaction ours = ours_before(&behind[number]);
	__atomic_fetch_and(&noted, ~(1U << number), __ATOMIC_ACQ_REL);
	(void)action_replace(number, &ours, &behind[number]); // if it fails, our handler stays, and passes the signal on
}
