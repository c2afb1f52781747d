/*
 * An independent count of what malloc and its family are asked for, for LD_PRELOAD, in two spans of time, each from
 * counter_begin to counter_end. Blocks lie in a table by address, below one lock. It is slow and obvious.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct counted { int64_t bytes, blocks, peak, in_use; };

#define SPANS 2
#define MOST (1 << 20)
static struct { uintptr_t at; size_t size; bool in[SPANS]; } blocks[MOST]; /* a block that is in no span is a freed one, whose place stays */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool counting[SPANS];
static struct counted now[SPANS];

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

static size_t place(uintptr_t at)
{
	size_t i = (at >> 4) * 0x9e3779b97f4a7c15 >> 44;
	while (blocks[i].at != 0 && blocks[i].at != at)
		i = (i + 1) % MOST;
	return i;
}

static void *add(void *block, size_t size)
{
	if (block == NULL)
		return NULL;
	pthread_mutex_lock(&lock);
	size_t i = place((uintptr_t)block);
	for (int span = 0; span < SPANS; span++) {
		struct counted *c = &now[span];
		if (!counting[span])
			continue;
		blocks[i].at = (uintptr_t)block;
		blocks[i].size = size;
		blocks[i].in[span] = true;
		c->bytes += size;
		c->blocks++;
		c->in_use += size;
		if (c->in_use > c->peak)
			c->peak = c->in_use;
	}
	pthread_mutex_unlock(&lock);
	return block;
}

static void take(void *block)
{
	pthread_mutex_lock(&lock);
	size_t i = place((uintptr_t)block);
	for (int span = 0; span < SPANS; span++) {
		if (blocks[i].in[span])
			now[span].in_use -= blocks[i].size;
		blocks[i].in[span] = false;
	}
	pthread_mutex_unlock(&lock);
}

void *malloc(size_t size) { return add(__libc_malloc(size), size); }
void *calloc(size_t n, size_t size) { return add(__libc_calloc(n, size), n * size); }
void *memalign(size_t a, size_t size) { return add(__libc_memalign(a, size), size); }
void *aligned_alloc(size_t a, size_t size) { return memalign(a, size); }

int posix_memalign(void **block, size_t a, size_t size)
{
	*block = memalign(a, size);
	return *block == NULL ? ENOMEM : 0;
}

void free(void *block)
{
	if (block != NULL)
		take(block);
	__libc_free(block);
}

void *realloc(void *block, size_t size)
{
	if (block == NULL)
		return malloc(size);
	take(block);
	return add(__libc_realloc(block, size), size);
}

void *reallocarray(void *block, size_t n, size_t size) { return realloc(block, n * size); }

void counter_begin(int span)
{
	pthread_mutex_lock(&lock);
	memset(&now[span], 0, sizeof now[span]);
	for (size_t i = 0; i < MOST; i++)
		blocks[i].in[span] = false;
	counting[span] = true;
	pthread_mutex_unlock(&lock);
}

void counter_end(int span, struct counted *c)
{
	pthread_mutex_lock(&lock);
	counting[span] = false;
	*c = now[span];
	pthread_mutex_unlock(&lock);
}
