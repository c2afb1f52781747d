// Threads that hold as many blocks at any moment, and move them all the time: from stack to stack, of which there are many, and from size
// to size, until standard input ends. Sizes are those of no other block. It prints how many blocks it holds, once it does.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define THREADS 4
#define BLOCKS 500
#define LEAST 1000
#define SIZES 16
#define PATHS 512 // of calls

static void *blocks[THREADS][BLOCKS];
static int ending;

static void *left(void *p, uint64_t path, size_t size);
static void *right(void *p, uint64_t path, size_t size);

static inline void *go(void *p, uint64_t path, size_t size)
{
	if (path > 1)
		return path & 1 ? left(p, path >> 1, size) : right(p, path >> 1, size);
	p = realloc(p, size);
	if (p == NULL)
		abort();
	return p;
}

__attribute__((noinline)) static void *left(void *p, uint64_t path, size_t size)
{
	p = go(p, path, size);
	__asm__ volatile("" : "+r"(p)); // not a tail call
	return p;
}

__attribute__((noinline)) static void *right(void *p, uint64_t path, size_t size)
{
	p = go(p, path, size);
	__asm__ volatile("" : "+r"(p));
	return p;
}

static void *storm(void *number)
{
	uint64_t random = (uintptr_t)number + 1;
	while (!__atomic_load_n(&ending, __ATOMIC_RELAXED)) {
		random = random * 6364136223846793005ULL + 1442695040888963407ULL;
		void **block = &blocks[(uintptr_t)number][(random >> 33) % BLOCKS];
		*block = go(*block, PATHS + (random >> 20) % PATHS, LEAST + (random >> 50) % SIZES);
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[THREADS];
	char end;
	for (int i = 0; i < THREADS * BLOCKS; i++)
		blocks[i / BLOCKS][i % BLOCKS] = go(NULL, 2, LEAST);
	for (uintptr_t i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, storm, (void *)i) != 0)
			abort();
	printf("%d\n", THREADS * BLOCKS);
	fflush(stdout);
	while (read(0, &end, 1) > 0)
		;
	__atomic_store_n(&ending, 1, __ATOMIC_RELAXED);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
