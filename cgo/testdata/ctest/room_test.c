// Work on a stack of our own: where, with what signals blocked, and where it must not be.
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>

#include "../../region.h"
#include "../../room.h"
#include "check.h"

static struct room room;
static char signal_stack[64 << 10];
static volatile int handled;
static int worked;
static bool inside, ran;
static jmp_buf away;

static void note(int signal)
{
	(void)signal;
	handled++;
}

static void work(void *argument)
{
	char here;
	worked++;
	inside = &here >= room.stack && &here < room.stack + sizeof room.stack;
	if (argument != NULL)
		check(raise(*(const int *)argument) == 0);
}

static bool is_blocked(int signal)
{
	sigset_t now;
	return pthread_sigmask(SIG_BLOCK, NULL, &now) == 0 && sigismember(&now, signal) == 1;
}

static void sees_none(void *argument)
{
	work(argument);
	check(handled == 0);
}

static void signals_wait(void)
{
	int usr1 = SIGUSR1;
	check(signal(SIGUSR1, note) != SIG_ERR);
	handled = worked = 0;
	check(room_run(&room, sees_none, &usr1) && worked == 1 && inside && handled == 1 && !is_blocked(SIGUSR1));
}

// Also of those that a thread causes itself: the program may wait for one that was sent.
static void blocked_ones_stay(void)
{
	const int signals[] = {SIGUSR1, SIGTRAP, SIGSEGV, SIGBUS};
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
		struct sigaction before;
		sigset_t set;
		sigemptyset(&set);
		sigaddset(&set, signals[i]);
		check(sigaction(signals[i], &(struct sigaction){.sa_handler = note}, &before) == 0);
		check(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0 && raise(signals[i]) == 0);
		handled = 0;
		check(room_run(&room, sees_none, NULL) && handled == 0 && is_blocked(signals[i]));
		check(sigwaitinfo(&set, NULL) == signals[i]);
		check(pthread_sigmask(SIG_UNBLOCK, &set, NULL) == 0 && handled == 0 && sigaction(signals[i], &before, NULL) == 0);
	}
}

static void nested(void *argument)
{
	(void)argument;
	check(room_run(&room, work, NULL) && inside);
}

static void runs_where_it_is(void)
{
	worked = 0;
	check(room_run(&room, nested, NULL) && worked == 1);
	inside = true;
	check(room_run(NULL, work, NULL) && worked == 2 && !inside);
}

static void jumps(void *argument)
{
	(void)argument;
	longjmp(away, 1);
}

static void may_be_left(void)
{
	if (setjmp(away) == 0)
		(void)room_run(&room, jumps, NULL);
	check(room.taken && is_blocked(SIGUSR1));
	room_leave(&room);
	check(!room.taken && !is_blocked(SIGUSR1));
}

static void run_in_handler(int signal)
{
	(void)signal;
	ran = room_run(&room, work, NULL);
}

static void run_on_signal_stack(void)
{
	stack_t own = {.ss_sp = signal_stack, .ss_size = sizeof signal_stack}, none = {.ss_flags = SS_DISABLE};
	struct sigaction action = {.sa_handler = run_in_handler, .sa_flags = SA_ONSTACK};
	worked = 0;
	check(sigaltstack(&own, NULL) == 0 && sigaction(SIGUSR1, &action, NULL) == 0 && raise(SIGUSR1) == 0);
	check(sigaltstack(&none, NULL) == 0);
}

static void fits_unless_a_page_may_be_missing(void)
{
	run_on_signal_stack();
	check(ran && worked == 1);
	cgoheap_file_size = 1;
	run_on_signal_stack();
	check(!ran && worked == 0);
	check(room_run(&room, work, NULL) && worked == 1);
	cgoheap_file_size = 0;
}

int main(void)
{
	run("work has a stack of its own, and signals come after it", signals_wait);
#ifdef EMULATED // where sigwaitinfo does not see what is pending
	(void)blocked_ones_stay;
#else
	run("what is blocked stays blocked, and pending", blocked_ones_stay);
#endif
	run("work of work stays there", runs_where_it_is);
	run("work that jumps away leaves it", may_be_left);
	run("on a signal stack there is no room if a page may be missing", fits_unless_a_page_may_be_missing);
}
