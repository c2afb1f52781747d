// Calls that need a process with one thread, and how they end.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// How many threads the kernel knows.
static void tell_threads(void)
{
	char line[200];
	FILE *status = fopen("/proc/self/status", "re");
	while (status != NULL && fgets(line, sizeof line, status) != NULL) {
		int threads;
		if (sscanf(line, "Threads: %d", &threads) == 1)
			printf("threads: %d\n", threads);
	}
	if (status != NULL)
		fclose(status);
}

int main(void)
{
	tell_threads();
	int own = open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC);
	for (int i = 0; i < 20; i++) {
		int entered = setns(own, CLONE_NEWNS), error = errno;
		printf("setns: %d %d\n", entered, entered == 0 ? 0 : error);
	}
	int left = unshare(CLONE_NEWUSER), error = errno;
	printf("unshare: %d %d\n", left, left == 0 ? 0 : error);
	return 0;
}
