// Counts signals on several threads. For each byte of its input it prints how many there were.
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static volatile int count;

static void handle(int number)
{
	(void)number;
	__atomic_fetch_add(&count, 1, __ATOMIC_SEQ_CST);
}

static void *spin(void *unused)
{
	for (volatile unsigned long n = 0;; n++)
		if (n % 100000 == 0)
			usleep(100);
	return unused;
}

int main(void)
{
	char byte;
	struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
	sigaction(SIGRTMIN, &action, NULL);
	for (int i = 0; i < 4; i++) {
		pthread_t thread;
		pthread_create(&thread, NULL, spin, NULL);
	}
	puts("ready");
	fflush(stdout);
	while (read(0, &byte, 1) > 0) {
		printf("%d\n", count);
		fflush(stdout);
	}
	return 0;
}
