// Holds 1,000,003 bytes, maps 3 MiB, writes a line to each output, and ends as its argument says.
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void *volatile held;

__attribute__((noinline)) static void hold_block(size_t size)
{
	held = malloc(size);
	if (held != NULL)
		memset(held, 1, size);
}

int main(int count, char **arguments)
{
	const char *how = count > 1 ? arguments[1] : "";
	hold_block(1000003);
	if (mmap(NULL, 3 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED)
		return 1;
	if (write(1, "out\n", 4) != 4 || write(2, "err\n", 4) != 4)
		return 1;
	for (int i = 0; strcmp(how, "many") == 0 && i < 300000; i++)
		hold_block(16);
	if (strcmp(how, "wait") == 0 && read(0, &count, 1) < 0)
		return 1;
	if (strcmp(how, "kill") == 0)
		raise(SIGKILL);
	if (strcmp(how, "crash") == 0)
		raise(SIGSEGV);
	if (strcmp(how, "term") == 0)
		raise(SIGTERM);
	if (strcmp(how, "abort") == 0)
		abort();
	return strcmp(how, "exit") == 0 ? 7 : 0;
}
