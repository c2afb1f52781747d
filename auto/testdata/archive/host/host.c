// A C program that links an archive of Go's with auto. Its argument is what it does with SIGUSR2. Then it gets the signal five times,
// prints how many it got and how many dumps there are, and waits for the end of its input.

#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define SIGNALS 5

int archiveDumps(void); // waits until Go has begun

static volatile sig_atomic_t got;

static void count(int number)
{
	(void)number;
	got++;
}

static int handle(void)
{
	struct sigaction a = {.sa_handler = count};
	return sigaction(SIGUSR2, &a, NULL);
}

// Before Go's constructor.
__attribute__((constructor(101))) static void early(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "handles it before") == 0)
		handle();
}

// A library finds the signal blocked when it begins.
static int begin_blocked(char **argv, sigset_t *set)
{
	sigset_t before;
	sigemptyset(set);
	sigaddset(set, SIGUSR2);
	if (sigprocmask(SIG_BLOCK, set, &before) != 0)
		return -1;
	return sigismember(&before, SIGUSR2) ? 0 : execv("/proc/self/exe", argv);
}

int main(int argc, char **argv)
{
	const char *does = argc > 1 ? argv[1] : "";
	int waits = strcmp(does, "waits for it") == 0, dumps = strcmp(does, "nothing") == 0 || strcmp(does, "handles it before") == 0;
	sigset_t set;
	if (waits && begin_blocked(argv, &set) != 0)
		return 1;
	archiveDumps();
	if (strcmp(does, "handles it later") == 0 && handle() != 0)
		return 1;
	for (int i = 1, number; i <= SIGNALS; i++) {
		if (kill(getpid(), SIGUSR2) != 0)
			return 1;
		if (waits && sigwait(&set, &number) == 0)
			got++;
		while (dumps && archiveDumps() < i)
			usleep(1000);
	}
	printf("%d signals, %d dumps\n", (int)got, archiveDumps());
	fflush(stdout);
	for (char c; read(0, &c, 1) > 0;)
		;
	return 0;
}
