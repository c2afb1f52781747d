//go:build ignore

// Calls that the kernel refuses where a process has more than one thread, as unshare of a user namespace and setns. A program that has one
// must not notice that it has two: ours ends before, and begins again afterwards.

#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "settler.h"

// A thread that was waited for may take a moment to leave its process.
static long call(long number, long a, long b, bool ended)
{
	const struct timespec pause = {.tv_nsec = 1000000};
	long result = syscall(number, a, b);
	for (int i = 0; ended && result != 0 && errno == EINVAL && i < 100; i++) {
		nanosleep(&pause, NULL);
		result = syscall(number, a, b);
	}
	return result;
}

static int call_alone(long number, long a, long b)
{
	bool ended = settler_end();
	long result = call(number, a, b, ended);
	int error = errno;
	if (ended)
		settler_begin();
	errno = error;
	return (int)result;
}

__attribute__((visibility("default"))) int unshare(int flags)
{
	return call_alone(SYS_unshare, flags, 0);
}

__attribute__((visibility("default"))) int setns(int file, int type)
{
	return call_alone(SYS_setns, file, type);
}
