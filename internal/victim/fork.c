/* Child processes. Memory that a child must not touch is first protected in it, so that a touch kills the child. */

#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "victim.h"

enum { TIMES = 100, PATIENCE = 60 };

VICTIM_SITE static void use_family(size_t size)
{
	for (int i = 0; i < TIMES; i++) {
		void *blocks[] = {malloc(size), calloc(1, size), realloc(malloc(size), 2 * size), aligned_alloc(64, 64)};
		for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++) {
			VICTIM_USE(blocks[k]);
			free(blocks[k]);
		}
	}
}

/* Never returns. */
static void child(const struct victim_fork *f, int protection)
{
	signal(SIGSEGV, SIG_DFL);
	signal(SIGALRM, SIG_DFL);
	alarm(PATIENCE); /* a child that hangs fails */
	if (f->region && mprotect(f->region, f->region_size, protection))
		_exit(2);
	free(f->block);
	use_family(f->size);
	_exit(0);
}

/* How a child ended: 0, its exit code, or minus the signal that ended it. */
static int wait_for(pid_t pid)
{
	int status;
	if (pid < 0)
		return errno;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return errno;
	return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

int victim_fork(const struct victim_fork *f)
{
	pid_t pid = fork();
	if (pid == 0)
		child(f, PROT_NONE);
	return wait_for(pid);
}

/* libc does not notice. What the child reads is its own copy. */
int victim_raw_clone(const struct victim_fork *f)
{
	pid_t pid = syscall(SYS_clone, (long)SIGCHLD, NULL, NULL, NULL, NULL);
	if (pid == 0)
		child(f, PROT_READ);
	return wait_for(pid);
}

/* The child has the parent's memory, and the parent waits. */
VICTIM_SITE int victim_vfork(size_t size, void **block)
{
	static char name[] = "true";
	char *const arguments[] = {name, NULL};
	pid_t pid = vfork();
	if (pid == 0) {
		*(void *volatile *)block = malloc(size);
		execvp(name, arguments);
		_exit(2);
	}
	return wait_for(pid);
}

int victim_spawn(void)
{
	static char name[] = "true", *const arguments[] = {name, NULL};
	extern char **environ;
	pid_t pid;
	int error = posix_spawnp(&pid, name, NULL, NULL, arguments, environ);
	return error ? error : wait_for(pid);
}

int victim_system(void)
{
	int status = system("true");
	return status < 0 ? errno : WEXITSTATUS(status);
}
