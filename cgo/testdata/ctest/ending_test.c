// Which signals came that may end the process is noted in the region, and the handler that they had is called as before.
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../action.h"
#include "../../clock.h"
#include "../../ending.h"
#include "../../waker.h"
#include "totals.h"

static volatile sig_atomic_t handled, with_code, ends; // ends: the signal whose handler ends the process as Go's does

static void end_as_go(void)
{
	check(kill(getpid(), SIGQUIT) == 0 && kill(getpid(), SIGQUIT) == 0 && handled == SIGQUIT);
	raise(SIGABRT);
	check(handled == SIGABRT);
}

static void handler(int number, siginfo_t *info, void *context)
{
	check(context != NULL && info->si_signo == number);
	with_code = info->si_code;
	handled = number;
	if (number == ends) {
		ends = 0;
		end_as_go();
	}
}

static void plain(int number)
{
	handled = number;
}

static void have(int number, bool with_info)
{
	struct sigaction a = {.sa_flags = with_info ? SA_SIGINFO | SA_NODEFER : 0}; // Go's threads have handlers at the same time
	if (with_info)
		a.sa_sigaction = handler;
	else
		a.sa_handler = plain;
	check(sigaction(number, &a, NULL) == 0);
}

static void is_noted(void)
{
	start(1);
	check(cgoheap_region->asked_to_end == 0 && cgoheap_region->faulted == 0);
	have(SIGTERM, true);
	have(SIGABRT, true);
	check(ending_begin(SIGTERM) && ending_begin(SIGABRT) && ending_begin(SIGTERM));
	uint64_t before = clock_now();
	raise(SIGTERM);
	check(handled == SIGTERM && with_code == SI_TKILL);
	uint64_t note = cgoheap_region->asked_to_end;
	check((note & ENDING_SIGNAL) == SIGTERM && note >= (before & ~(uint64_t)ENDING_SIGNAL) && note <= clock_now() + ENDING_SIGNAL);
	check(cgoheap_region->faulted == 0);
	raise(SIGABRT);
	check(handled == SIGABRT && (cgoheap_region->faulted & ENDING_SIGNAL) == SIGABRT && cgoheap_region->asked_to_end == note);
	ending_end(SIGTERM);
	ending_end(SIGABRT);
	cgoheap_region->asked_to_end = 0;
	raise(SIGTERM);
	check(handled == SIGTERM && cgoheap_region->asked_to_end == 0);
	check(cgoheap_stop());
}

// As Go's runtime ends with GOTRACEBACK=crash; and what looks like that.
static void what_a_crash_sends_itself(void)
{
	static const int numbers[] = {SIGTERM, SIGQUIT, SIGSEGV, SIGABRT};
	start(1);
	for (int i = 0; i < 4; i++) {
		have(numbers[i], true);
		check(ending_begin(numbers[i]));
	}
	uint64_t *asked = &cgoheap_region->asked_to_end, *faulted = &cgoheap_region->faulted;
	ends = SIGSEGV;
	raise(SIGSEGV);
	check(*asked == 0 && (*faulted & ENDING_SIGNAL) == SIGSEGV);
	*faulted = 0;
	ends = SIGQUIT;
	check(kill(getpid(), SIGQUIT) == 0); // a request to itself
	check((*asked & ENDING_SIGNAL) == SIGQUIT && *faulted == 0);
	raise(SIGTERM);
	raise(SIGABRT); // of its own accord
	check((*asked & ENDING_SIGNAL) == SIGTERM && (*faulted & ENDING_SIGNAL) == SIGABRT);
	// What it survives explains nothing that comes later: its handler has returned.
	raise(SIGSEGV);
	*asked = 0;
	check(kill(getpid(), SIGQUIT) == 0 && (*asked & ENDING_SIGNAL) == SIGQUIT);
	check(kill(getpid(), SIGQUIT) == 0);
	raise(SIGABRT);
	check((*faulted & ENDING_SIGNAL) == SIGABRT);
	for (int i = 0; i < 4; i++)
		ending_end(numbers[i]);
	check(cgoheap_stop());
}

static void others_stay(void)
{
	struct sigaction now;
	have(SIGINT, false);
	check(!ending_begin(SIGINT) && !ending_begin(0) && !ending_begin(99));
	check(sigaction(SIGINT, NULL, &now) == 0 && now.sa_handler == plain);
	have(SIGTERM, true);
	check(ending_begin(SIGTERM));
	have(SIGTERM, false); // installed after ours
	ending_end(SIGTERM);
	check(sigaction(SIGTERM, NULL, &now) == 0 && now.sa_handler == plain);
}

static void *wait_for_requests(void *unused)
{
	while (waker_wait() != 0)
		;
	return unused;
}

static bool is_handlers(int number)
{
	struct sigaction now;
	return sigaction(number, NULL, &now) == 0 && now.sa_sigaction == handler;
}

// As after signal.Ignore and another signal.Notify.
static void comes_back(void)
{
	pthread_t waker;
	start(1);
	have(SIGTERM, true);
	check(ending_begin(SIGTERM));
	have(SIGTERM, true);
	check(waker_prepare() == 0 && pthread_create(&waker, NULL, wait_for_requests, NULL) == 0);
	alarm(600); // it would never come
	while (is_handlers(SIGTERM))
		usleep(1000);
	alarm(0);
	cgoheap_region->asked_to_end = handled = 0;
	raise(SIGTERM);
	check(handled == SIGTERM && (cgoheap_region->asked_to_end & ENDING_SIGNAL) == SIGTERM);
	ending_end(SIGTERM);
	check(is_handlers(SIGTERM));
	waker_end();
	check(pthread_join(waker, NULL) == 0);
	check(cgoheap_stop());
}

static void children_note_nothing(void)
{
	start(1);
	have(SIGTERM, true);
	check(ending_begin(SIGTERM));
	fflush(stdout); // or the child has it, too
	pid_t child = fork();
	if (child == 0) {
		raise(SIGTERM);
		_exit(handled == SIGTERM && cgoheap_region->asked_to_end == 0 ? 0 : 1);
	}
	int status;
	check(waitpid(child, &status, 0) == child && status == 0);
	ending_end(SIGTERM);
	check(cgoheap_stop());
}

static void dirty(void)
{
	volatile unsigned char words[16 << 10];
	for (size_t i = 0; i < sizeof words; i++)
		words[i] = 0xaa;
}

// libc has words of its stack behind the mask.
static void nothing_of_a_stack_is_kept(void)
{
	struct sigaction kept;
	const unsigned char *mask = (const unsigned char *)&kept.sa_mask;
	have(SIGTERM, true);
	dirty();
	check(action_of(SIGTERM, &kept) && kept.sa_sigaction == handler);
	for (size_t i = sizeof(uint64_t); i < sizeof kept.sa_mask; i++)
		check(mask[i] == 0);
}

int main(void)
{
	run("nothing of a stack is kept with a handler", nothing_of_a_stack_is_kept);
	run("a signal is noted, and its handler called", is_noted);
	run("what Go's runtime sends itself in a crash is not noted", what_a_crash_sends_itself);
	run("handlers of other kinds, and later ones, stay", others_stay);
	run("where the program's handler alone is put back, ours comes back before it", comes_back);
	run("children note nothing", children_note_nothing);
}
