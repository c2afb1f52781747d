/* Work for a program in which nothing is recorded: each thread holds 25 MiB at a time, in blocks of all kinds of sizes. */
#define _DEFAULT_SOURCE
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core.h"

enum { THREADS = 4, BYTES = 25 << 20, ROUNDS = 3 };

struct block {
	struct block *next;
	size_t size;
};

static struct block *push(struct block *list, size_t size)
{
	struct block *b = malloc(sizeof *b + size);
	if (b == NULL)
		return NULL;
	b->next = list;
	b->size = size;
	memset(b + 1, (int)(size % 251), size);
	return b;
}

static bool intact(const struct block *b)
{
	const unsigned char *content = (const unsigned char *)(b + 1);
	for (size_t i = 0; i < b->size; i++)
		if (content[i] != b->size % 251)
			return false;
	return true;
}

/* Whether all blocks are as they were written. */
static bool free_all(struct block *list)
{
	bool all = true;
	while (list != NULL) {
		struct block *next = list->next;
		all &= intact(list);
		free(list);
		list = next;
	}
	return all;
}

static bool work_once(void)
{
	struct block *list = NULL, *longer;
	size_t held = 0;
	for (size_t size = 1; held < BYTES; size = size * 7 % 300007, held += size, list = longer)
		if ((longer = push(list, size)) == NULL)
			return false;
	return free_all(list);
}

static void *work(void *failed)
{
	for (int i = 0; i < ROUNDS; i++)
		if (!work_once())
			__atomic_store_n((int *)failed, 1, __ATOMIC_RELAXED);
	return NULL;
}

/* Whether the end of the heap moves up and down. musl's never does. */
static bool heap_moves(void)
{
#ifdef __GLIBC__
	char *end = sbrk(1 << 16);
	if (end == (void *)-1)
		return false;
	end[0] = 1;
	return sbrk(0) == end + (1 << 16) && sbrk(-(1 << 16)) == end + (1 << 16) && brk(end + 4096) == 0 && brk(end) == 0;
#else
	return true;
#endif
}

int core_work(void)
{
	pthread_t threads[THREADS];
	int failed = !heap_moves();
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, work, &failed) != 0)
			return 1;
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return failed;
}
