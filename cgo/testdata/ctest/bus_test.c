// The program's own handlers, beside a region in a file, have what they have without one.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "../../ending.h"
#include "../../shield.h"
#include "boxes.h"

// What a program sees of its handler of SIGBUS. It is the same with a region in a file and without.
struct seen {
	int calls, code[4], status;
	bool apart[4], own[4];
	uint64_t mask[4], interrupted[4];
	int error;
	uint64_t after;
	bool came_back;
};

static struct seen *seen; // shared with children
static enum { REPAIR, JUMP, NO_REPAIR, RAISE } doing;
static char alternate[64 << 10];
static char *volatile bad;
static jmp_buf after_fault;

static uint64_t word_of(const sigset_t *set)
{
	uint64_t word;
	memcpy(&word, set, sizeof word);
	return word;
}

static uint64_t blocked_now(void)
{
	sigset_t now;
	check(pthread_sigmask(SIG_BLOCK, NULL, &now) == 0);
	return word_of(&now);
}

static void look(int signal, siginfo_t *info, void *context)
{
	char here;
	int i = seen->calls++ % 4;
	seen->code[i] = info->si_code;
	seen->own[i] = signal == SIGBUS && (info->si_code <= 0 || info->si_addr == bad);
	seen->apart[i] = &here >= alternate && &here < alternate + sizeof alternate;
	seen->mask[i] = blocked_now();
	seen->interrupted[i] = word_of(&((ucontext_t *)context)->uc_sigmask);
	errno = EDOM;
}

static void act(void)
{
	if (doing == JUMP)
		_longjmp(after_fault, 1);
	if (seen->calls == 3)
		_exit(7);
	if (doing == RAISE) {
		raise(SIGBUS);
		_exit(1);
	}
	if (doing == REPAIR)
		check(mmap(bad, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == bad);
}

static void looks(int signal, siginfo_t *info, void *context)
{
	look(signal, info, context);
	act();
}

static void looks_without_info(int signal)
{
	seen->calls += signal == SIGBUS;
	seen->mask[0] = blocked_now();
	act();
}

static void touch(void)
{
	bad = bad_page();
	if (_setjmp(after_fault) == 0)
		*(volatile char *)bad = 1;
}

static void twice(bool by_fault)
{
	for (volatile int i = 0; i < 2; i++) { // it outlives a jump
		errno = 0;
		if (by_fault)
			touch();
		else if (_setjmp(after_fault) == 0)
			raise(SIGBUS);
		seen->error = errno;
		seen->after = blocked_now();
	}
	seen->came_back = true;
}

static void see(struct seen *result, const struct sigaction *theirs, bool by_fault, bool boxed)
{
	memset(seen, 0, sizeof *seen);
	pid_t child = fork();
	if (child == 0) {
		struct sigaction now;
		stack_t s = {.ss_sp = alternate, .ss_size = sizeof alternate};
		check(sigaltstack(&s, NULL) == 0 && sigaction(SIGBUS, theirs, NULL) == 0);
		if (boxed) {
			start_in_file(1);
			remove_file();
		}
		check(sigaction(SIGBUS, NULL, &now) == 0 && (now.sa_flags & SA_RESTART) == (theirs->sa_flags & SA_RESTART));
		twice(by_fault);
		_exit(0);
	}
	check(child > 0 && waitpid(child, &seen->status, 0) == child);
	seen->status &= 0x7f7f; // not whether there was room for a core
	memcpy(result, seen, sizeof *seen);
}

static void compare(struct sigaction *theirs)
{
	const int flags[] = {0, SA_NODEFER, SA_RESETHAND, SA_ONSTACK, SA_RESTART, SA_NODEFER | SA_RESETHAND | SA_ONSTACK};
	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
		for (int by_fault = 0; by_fault < 2; by_fault++) {
			theirs->sa_flags = (theirs->sa_flags & SA_SIGINFO) | flags[i];
			struct seen without, with;
			see(&without, theirs, by_fault, false);
			see(&with, theirs, by_fault, true);
			check(without.calls > 0 && memcmp(&without, &with, sizeof with) == 0);
		}
	}
}

static void theirs_is_called_as_before(void)
{
	seen = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	check(seen != MAP_FAILED);
	for (doing = REPAIR; doing <= RAISE; doing++) {
		struct sigaction theirs = {.sa_sigaction = looks, .sa_flags = SA_SIGINFO};
		compare(&theirs);
		sigaddset(&theirs.sa_mask, SIGTERM);
		compare(&theirs);
		theirs = (struct sigaction){.sa_handler = looks_without_info};
		compare(&theirs);
	}
	munmap(seen, PAGE);
}

static volatile int counted;

static void counts(int signal)
{
	counted += signal == SIGBUS;
}

static void counts_with_info(int signal, siginfo_t *info, void *context)
{
	counted += signal == SIGTERM && info->si_code == SI_TKILL && context != NULL;
}

// A thread that takes the signal by sigwait blocks it. A hook that has unblocked it for a moment does not take it away.
static void waits_for_it(void)
{
	struct sigaction theirs = {.sa_handler = counts}, before;
	struct shield shield;
	sigset_t bus;
	siginfo_t info;
	sigemptyset(&bus);
	sigaddset(&bus, SIGBUS);
	check(sigaction(SIGBUS, &theirs, &before) == 0 && pthread_sigmask(SIG_BLOCK, &bus, NULL) == 0);
	start_in_file(1);
	counted = 0;
	for (int by_thread = 0; by_thread < 2; by_thread++) {
		shield_raise(&shield);
		check(by_thread ? raise(SIGBUS) == 0 : kill(getpid(), SIGBUS) == 0);
		shield_lower(&shield);
		check(counted == 0);
		check(sigwaitinfo(&bus, &info) == SIGBUS && info.si_code == SI_USER && info.si_pid == getpid());
	}
	check(cgoheap_stop());
	check(pthread_sigmask(SIG_UNBLOCK, &bus, NULL) == 0 && sigaction(SIGBUS, &before, NULL) == 0);
}

// The header, where the signal is noted, cannot be had, and the handler's mask has SIGBUS.
static void is_noted_nowhere(void)
{
	struct sigaction theirs = {.sa_sigaction = counts_with_info, .sa_flags = SA_SIGINFO};
	sigfillset(&theirs.sa_mask);
	check(sigaction(SIGTERM, &theirs, NULL) == 0);
	start_in_file(1);
	check(ending_begin(SIGTERM) && ftruncate(file, 0) == 0);
	counted = 0;
	check(raise(SIGTERM) == 0 && counted == 1 && box_state() == BOX_LOST);
	ending_end(SIGTERM);
	check(cgoheap_stop());
	signal(SIGTERM, SIG_DFL);
}

int main(void)
{
	atexit(remove_file);
	run("a handler is called as without us: its mask, its flags, its stack, and how often", theirs_is_called_as_before);
	run("a thread that waits for the signal gets it", waits_for_it);
	run("a signal whose note cannot be had reaches its handler", is_noted_nowhere);
}
