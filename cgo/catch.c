//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

// os/signal keeps two goroutines for a program that waits for a signal. A dump needs none: Go's runtime handles every
// signal from the start, and our handler before the runtime's records the signal, asks the waker to run Go code, and
// passes the signal on. The program's own signal.Notify still gets it.

#define _GNU_SOURCE
#include "catch.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

#include "action.h"
#include "waker.h"

static uint64_t caught;
static struct sigaction behind[CATCH_MOST + 1]; // the previous actions; kept after catch_end for a handler that still runs

static void note(int number, siginfo_t *info, void *context)
{
	int saved = errno;
	__atomic_fetch_or(&caught, 1ULL << (number - 1), __ATOMIC_ACQ_REL);
	waker_ask(WAKE_SIGNAL);
	errno = saved;
	const struct sigaction *next = &behind[number];
	if (next->sa_handler != SIG_DFL && next->sa_handler != SIG_IGN)
		next->sa_sigaction(number, info, context);
}

uintptr_t catch_handler(int number)
{
	struct sigaction now;
	sigset_t blocked;
	if (sigaction(number, NULL, &now) != 0 || (now.sa_flags & SA_SIGINFO) == 0)
		return 0;
	if (pthread_sigmask(SIG_BLOCK, NULL, &blocked) != 0 || sigismember(&blocked, number) != 0)
		return 0;
	return (uintptr_t)now.sa_sigaction;
}

bool catch_stands(int number)
{
	return catch_handler(number) == (uintptr_t)note;
}

bool catch_begin(int number)
{
	struct sigaction ours;
	if (catch_stands(number))
		return true;
	if (!action_of(number, &behind[number]))
		return false;
	ours = behind[number];
	ours.sa_sigaction = note;
	return sigaction(number, &ours, NULL) == 0;
}

void catch_end(int number)
{
	if (catch_stands(number))
		(void)sigaction(number, &behind[number], NULL); // if it fails, our handler stays, and passes the signal on
}

uint64_t catch_take(void)
{
	return __atomic_exchange_n(&caught, 0, __ATOMIC_ACQ_REL);
}
