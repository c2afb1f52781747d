// A program of known sums. The functions sum_… allocate, and count what they ask for; the profile must have the same under their names.
// It prints "sums" with the blocks and bytes allocated, and those in use, of each process.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static atomic_long allocs, alloc_bytes, blocks, bytes;

static void *counted(void *p, size_t size)
{
	if (p == NULL)
		abort();
	memset(p, 1, size);
	allocs++, alloc_bytes += (long)size, blocks++, bytes += (long)size;
	return p;
}

__attribute__((noinline)) void *sum_malloc(size_t size) { return counted(malloc(size), size); }
__attribute__((noinline)) void *sum_calloc(size_t size) { return counted(calloc(1, size), size); }
__attribute__((noinline)) void *sum_aligned(size_t size) { return counted(aligned_alloc(64, size), size); }
__attribute__((noinline)) void *sum_memalign(size_t size) { return counted(memalign(32, size), size); }

__attribute__((noinline)) void *sum_posix_memalign(size_t size)
{
	void *p = NULL;
	if (posix_memalign(&p, 128, size) != 0)
		abort();
	return counted(p, size);
}

__attribute__((noinline)) void *sum_realloc(void *p, size_t before, size_t size)
{
	p = realloc(p, size);
	blocks--, bytes -= (long)before;
	return counted(p, size);
}

__attribute__((noinline)) void *sum_reallocarray(void *p, size_t before, size_t size)
{
	p = reallocarray(p, size, 1);
	blocks--, bytes -= (long)before;
	return counted(p, size);
}

static void uncounted(void *p, size_t size)
{
	free(p);
	blocks--, bytes -= (long)size;
}

static void each_kind(size_t size)
{
	void *p = sum_malloc(size), *q = sum_calloc(size), *r = sum_posix_memalign(size);
	p = sum_realloc(p, size, 3 * size);
	q = sum_reallocarray(q, size, size + 1);
	uncounted(r, size);
	sum_aligned(64 * size);
	uncounted(sum_memalign(size), size);
	if (p == q)
		abort();
}

static void *work(void *unused)
{
	for (size_t i = 1; i <= 500; i++)
		each_kind(i);
	return unused;
}

static void threads(void)
{
	pthread_t all[4];
	for (int i = 0; i < 4; i++)
		if (pthread_create(&all[i], NULL, work, NULL) != 0)
			abort();
	for (int i = 0; i < 4; i++)
		pthread_join(all[i], NULL);
}

// Opens a library, whose sum_opened counts by the same rule.
static void open_library(const char *path)
{
	void *library = dlopen(path, RTLD_NOW);
	void *(*opened)(size_t) = library == NULL ? NULL : dlsym(library, "sum_opened");
	if (opened == NULL)
		abort();
	for (size_t i = 1; i <= 100; i++)
		counted(opened(i), i);
}

static atomic_bool ending;

// Allocates until the program ends, and counts nothing.
static void *hurry(void *unused)
{
	while (!ending)
		free(realloc(malloc(100), 200));
	return unused;
}

static void tell(void);

// In a child: what only it has allocated.
static void become_child(void)
{
	allocs = alloc_bytes = blocks = bytes = 0;
	each_kind(100);
	tell();
}

// Forks while other threads are in the midst of allocating.
static void fork_hurried(void)
{
	pthread_t all[4];
	for (int i = 0; i < 4; i++)
		if (pthread_create(&all[i], NULL, hurry, NULL) != 0)
			abort();
	for (int i = 0; i < 20; i++) {
		pid_t child = fork();
		int status = 0;
		if (child == 0) {
			become_child();
			_exit(4);
		}
		if (waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 4)
			abort();
	}
	ending = true;
	for (int i = 0; i < 4; i++)
		pthread_join(all[i], NULL);
}

static void tell(void)
{
	char line[200];
	int size = snprintf(line, sizeof line, "sums %d %ld %ld %ld %ld\n", (int)getpid(), allocs, alloc_bytes, blocks, bytes);
	if (write(1, line, (size_t)size) != size)
		abort();
}

int main(int count, char **arguments)
{
	for (int i = 1; i < count; i++) {
		const char *what = arguments[i];
		if (strcmp(what, "each") == 0)
			each_kind(1000);
		else if (strcmp(what, "threads") == 0)
			threads();
		else if (strcmp(what, "open") == 0)
			open_library(arguments[++i]);
		else if (strcmp(what, "fork-hurried") == 0)
			fork_hurried();
		else if (strcmp(what, "kill") == 0)
			tell(), kill(getpid(), SIGKILL);
		else if (strcmp(what, "wait") == 0) { // until standard input ends
			char byte;
			tell();
			while (read(0, &byte, 1) == 1)
				;
		} else if (strcmp(what, "exec") == 0)
			execv(arguments[0], (char *[]){arguments[0], "each", "threads", NULL});
		else if (strcmp(what, "fork") == 0) {
			tell();
			pid_t child = fork();
			if (child == 0) {
				allocs = alloc_bytes = blocks = bytes = 0;
				threads();
				tell();
				return 4;
			}
			int status;
			if (waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 4)
				abort();
			return 0;
		} else if (strcmp(what, "fork-exec") == 0) {
			pid_t child = fork();
			if (child == 0)
				execv(arguments[0], (char *[]){arguments[0], "each", NULL});
			waitpid(child, NULL, 0);
		} else
			abort();
	}
	tell();
	return 3;
}
