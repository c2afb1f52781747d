// A program with a child in a PID namespace of its own, and a grandchild there that has the program's number, and ends in order.
#define _GNU_SOURCE
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int wait_for(pid_t child)
{
	int status = 0;
	return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static pid_t fork_as(pid_t number)
{
	struct clone_args a = {.exit_signal = SIGCHLD, .set_tid = (uintptr_t)&number, .set_tid_size = 1};
	return (pid_t)syscall(SYS_clone3, &a, sizeof a);
}

int main(void)
{
	pid_t own = getpid();
	if (unshare(CLONE_NEWUSER | CLONE_NEWPID) != 0)
		return 77;
	pid_t child = fork();
	if (child != 0)
		return wait_for(child);
	pid_t grandchild = fork_as(own);
	if (grandchild == 0)
		exit(getpid() == own ? 0 : 1);
	_exit(grandchild < 0 ? 77 : wait_for(grandchild));
}
