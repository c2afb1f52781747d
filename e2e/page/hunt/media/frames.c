#define _GNU_SOURCE
#include "frames.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

// A pool of frames: slabs of 1 MiB from mmap. Nothing ever goes back to it.
enum { SLAB = 1 << 20 };
struct pool { char *at, *end; int slabs; };
static struct pool pool;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static __attribute__((noinline)) void pool_grow(struct pool *p)
{
	char *slab = mmap(0, SLAB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (slab == MAP_FAILED)
		abort();
	p->at = slab;
	p->end = slab + SLAB;
	p->slabs++;
}
static __attribute__((noinline)) char *pool_take(struct pool *p, size_t n)
{
	pthread_mutex_lock(&mutex);
	if ((size_t)(p->end - p->at) < n)
		pool_grow(p);
	char *got = p->at;
	p->at += n;
	pthread_mutex_unlock(&mutex);
	return got;
}
static __attribute__((noinline)) int frame_decode(int n)
{
	char *frame = pool_take(&pool, 14 << 10);
	memset(frame, n, 14 << 10);
	return frame[n % (14 << 10)];
}
int frames_upload(int n) { return frame_decode(n); }

static __attribute__((noinline)) char *header_parse(int n)
{
	char *h = malloc(4096);
	memset(h, n, 4096);
	return h;
}
int frames_probe(int n)
{
	char *h = header_parse(n);
	int got = h[n & 4095];
	free(h);
	return got;
}
