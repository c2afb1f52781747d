//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

// os/signal keeps two goroutines for a program that waits for a signal. A dump needs none: our handler, before the one that is
// there, records the signal and asks the waker to run Go code.
//
// If the one that is there is Go's, ours does not call it. On a thread that Go does not know, it ends the process if the program
// does not wait for the signal, and nobody can tell here whether it does, nor what Go knows: a thread of C that has once called Go
// looks like one of Go's. So Go code passes the signal on: it has it come again, on its own thread, which Go knows. That is what
// the program would have got if the kernel had chosen this thread, and its signal.Notify still gets the signal.
//
// Any other handler is called at once, as the kernel would have called it: ours has its mask and its flags.

#define _GNU_SOURCE
#include "catch.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "action.h"
#include "machine.h"
#include "signals.h"
#include "waker.h"

static uint64_t caught;
static uint64_t installed, watched;
static pid_t home;
static struct {
	struct sigaction behind; // the previous action; kept after catch_end for a handler that still runs
	bool by_go;              // that is Go's handler
	bool left;               // ours was not removed, and the handler that stands before it may call it
	uintptr_t seen;          // the signal's handler at the last look
} of[CATCH_MOST + 1];

static __thread int passing __attribute__((tls_model("initial-exec"))); // the signal that comes again, for Go

static bool has(const uint64_t *set, int number)
{
	return (__atomic_load_n(set, __ATOMIC_ACQUIRE) & SIGNAL_BIT(number)) != 0;
}

uintptr_t catch_handler(int number)
{
	struct sigaction now;
	return sigaction(number, NULL, &now) == 0 ? (uintptr_t)now.sa_handler : 0;
}

bool catch_blocked(int number)
{
	sigset_t blocked;
	return pthread_sigmask(SIG_BLOCK, NULL, &blocked) == 0 && sigismember(&blocked, number) == 1;
}

// Go's threads have a stack for signals.
static bool may_be_of_go(void)
{
	stack_t s;
	return system_call(SYS_sigaltstack, 0, (long)&s, 0, 0) == 0 && (s.ss_flags & SS_DISABLE) == 0;
}

static void note(int number, siginfo_t *info, void *context);

// Whether the kernel calls ours. libc is not asked: a library that is loaded before it, as libjsig, may have a sigaction with a lock,
// which the thread that ours interrupts may hold.
static bool is_first(int number)
{
	uint64_t now[8] = {0}; // the kernel's struct, which begins with the handler
	return system_call(SYS_rt_sigaction, number, 0, (long)now, sizeof *now) != 0 || now[0] == (uintptr_t)note;
}

static pid_t process(void)
{
	return (pid_t)system_call(SYS_getpid, 0, 0, 0, 0);
}

// Whether the previous handler is called here. Go's is in a child, which has no waker, and if a handler that came later has called
// ours: it would get the signal twice if that came again.
static bool calls_previous(int number)
{
	uintptr_t previous = (uintptr_t)of[number].behind.sa_handler;
	if (previous == (uintptr_t)SIG_DFL || previous == (uintptr_t)SIG_IGN)
		return false;
	return !of[number].by_go || process() != home || (!is_first(number) && may_be_of_go());
}

static bool comes_again(int number)
{
	if (passing != number)
		return false;
	passing = 0;
	return true;
}

static void note(int number, siginfo_t *info, void *context)
{
	int saved = errno;
	bool again = comes_again(number);
	if (!again) {
		__atomic_fetch_or(&caught, SIGNAL_BIT(number), __ATOMIC_ACQ_REL);
		waker_ask(WAKE_SIGNAL);
	}
	bool calls = again || calls_previous(number);
	errno = saved;
	if (calls)
		of[number].behind.sa_sigaction(number, info, context);
}

static bool is_note(const struct sigaction *a)
{
	return a->sa_handler == (void (*)(int))(uintptr_t)note;
}

static struct sigaction ours_before(const struct sigaction *behind)
{
	struct sigaction ours = *behind;
	ours.sa_sigaction = note;
	ours.sa_flags |= SA_SIGINFO;
	return ours;
}

bool catch_stands(int number)
{
	struct sigaction ours = ours_before(&of[number].behind);
	if (!has(&installed, number))
		return false;
	if (!action_replace(number, &of[number].behind, &ours))
		return catch_handler(number) == (uintptr_t)note;
	if (has(&installed, number))
		return true;
	(void)action_replace(number, &ours, &of[number].behind); // catch_end was faster
	return false;
}

bool catch_begin(int number, bool by_go)
{
	struct sigaction now;
	if (!action_of(number, &now))
		return false;
	if (!is_note(&now)) {
		of[number].left |= has(&installed, number) && now.sa_handler != of[number].behind.sa_handler;
		if (of[number].left && !by_go) // which must not call it, too
			return false;
		of[number].behind = now;
		of[number].by_go = by_go;
		home = process();
		struct sigaction ours = ours_before(&now);
		if (!action_replace(number, &now, &ours))
			return false;
	}
	__atomic_fetch_or(&installed, SIGNAL_BIT(number), __ATOMIC_ACQ_REL);
	return true;
}

void catch_end(int number)
{
	struct sigaction ours = ours_before(&of[number].behind);
	__atomic_fetch_and(&installed, ~SIGNAL_BIT(number), __ATOMIC_ACQ_REL);
	of[number].left = !action_replace(number, &ours, &of[number].behind);
}

uint64_t catch_take(void)
{
	return __atomic_exchange_n(&caught, 0, __ATOMIC_ACQ_REL);
}

void catch_pass_on(int number)
{
	uintptr_t now = catch_handler(number);
	uint64_t bit = SIGNAL_BIT(number), before;
	if (!of[number].by_go || (now != (uintptr_t)note && now != (uintptr_t)of[number].behind.sa_handler))
		return;
	if (system_call(SYS_rt_sigprocmask, SIG_BLOCK, (long)&bit, (long)&before, sizeof before) != 0)
		return;
	passing = number;
	system_call(SYS_tgkill, process(), system_call(SYS_gettid, 0, 0, 0, 0), number, 0);
	system_call(SYS_rt_sigprocmask, SIG_UNBLOCK, (long)&bit, 0, sizeof bit); // here it comes
	passing = 0;
	signals_restore(before);
}

static bool has_changed(int number)
{
	(void)catch_stands(number);
	uintptr_t now = catch_handler(number), seen = of[number].seen;
	of[number].seen = now;
	return now != seen;
}

// Nobody tells when a handler is replaced.
static uint32_t look(void)
{
	uint32_t changed = 0;
	for (int number = 1; number <= CATCH_MOST; number++)
		if (has(&watched, number) && has_changed(number))
			changed = WAKE_HANDLER;
	return changed;
}

void catch_watch(int number, bool watch)
{
	if (!watch)
		__atomic_fetch_and(&watched, ~SIGNAL_BIT(number), __ATOMIC_ACQ_REL);
	if (!watch || has(&watched, number))
		return;
	of[number].seen = catch_handler(number);
	__atomic_fetch_or(&watched, SIGNAL_BIT(number), __ATOMIC_ACQ_REL);
	waker_each_second(look);
}
