#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "worker.h"

static bool succeeded(pid_t child)
{
	int status;
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return false;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* The parent must see the child's allocations and frees neither in memory nor in a profile. The child is killed if it
   hangs. */
static void live_in_child(uint32_t site)
{
	alarm(20);
	for (int i = 0; i < 64; i++)
		stress_visit(site + i % STRESS_WAYS);
	_exit(stress_events(FAILURES) != 0);
}

SITE static void stress_fork(uint32_t site)
{
	uint64_t failures = stress_events(FAILURES);
	pid_t child = fork();
	if (child == 0)
		live_in_child(site);
	stress_visit(site + stress_random() % STRESS_WAYS);
	stress_must(child > 0 && (succeeded(child) || failures > 0), "a forked child lives and ends");
	stress_count(FORKS);
	KEEP_FRAME();
}

void stress_forks(uint32_t site)
{
	while (!stress_ended()) {
		stress_fork(site);
		usleep(2000);
	}
}

void stress_spawns(void)
{
	char *arguments[] = {"true", NULL}, *environment[] = {NULL};
	while (!stress_ended()) {
		pid_t child;
		bool spawned = posix_spawnp(&child, "true", NULL, NULL, arguments, environment) == 0;
		stress_must(spawned && succeeded(child), "a spawned child lives and ends");
		stress_count(SPAWNS);
		usleep(5000);
	}
}
