// Writes a byte for each SIGUSR1, which any of its threads may take, until its input ends.
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static void say(int number)
{
	(void)number;
	if (write(1, "!", 1) != 1)
		abort();
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
	struct sigaction action = {.sa_handler = say, .sa_flags = SA_RESTART};
	sigaction(SIGUSR1, &action, NULL);
	for (int i = 0; i < 4; i++) {
		pthread_t thread;
		pthread_create(&thread, NULL, spin, NULL);
	}
	say(0); // it is ready
	return (int)read(0, &byte, 1);
}
