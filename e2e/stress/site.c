#define _GNU_SOURCE
#include <malloc.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "worker.h"

struct site stress_sites[STRESS_SITES];

/* The beginning of each block. */
struct block {
	uint32_t site, recording;
	uint64_t size;
};

enum { POOL = 2048 };
static _Atomic(void *) pool[POOL];
static _Atomic uint32_t recording;
static _Atomic bool ended;
static _Atomic uint64_t events[EVENTS];

uint32_t stress_random(void)
{
	static _Atomic uint32_t threads;
	static __thread uint32_t state;
	if (state == 0)
		state = (++threads * 2654435761u) | 1;
	state ^= state << 13;
	state ^= state >> 17;
	return state ^= state << 5;
}

static void *kept(void *p)
{
	__asm__ volatile("" : "+r"(p)::"memory");
	return p;
}

SITE static void *stress_malloc(size_t size)
{
	return kept(malloc(size));
}

SITE static void *stress_calloc(size_t size)
{
	char *p = calloc(1, size);
	stress_must(p != NULL && p[0] == 0 && p[size - 1] == 0, "calloc returns zeroes");
	return kept(p);
}

SITE static void *stress_memalign(size_t size)
{
	void *p = NULL;
	size_t alignment = (size_t)32 << stress_random() % 8;
	stress_must(posix_memalign(&p, alignment, size) == 0 && (uintptr_t)p % alignment == 0, "posix_memalign aligns");
	return kept(p);
}

SITE static void *stress_strdup(size_t size)
{
	char text[size];
	memset(text, 'x', size - 1);
	text[size - 1] = 0;
	return kept(strdup(text));
}

static void add(struct flow *f, uint64_t size)
{
	__atomic_fetch_add(&f->objects, 1, __ATOMIC_SEQ_CST);
	__atomic_fetch_add(&f->bytes, size, __ATOMIC_SEQ_CST);
}

static bool counts(const struct block *b)
{
	return b->recording == recording;
}

static void *take(void)
{
	return atomic_exchange(&pool[stress_random() % POOL], NULL);
}

/* Hides the call from the compiler, which assumes that realloc frees the block. */
static bool refuse(void *old)
{
	void *(*volatile call)(void *, size_t) = realloc;
	return call(old, PTRDIFF_MAX) == NULL;
}

/* Moves a block that any worker allocated, after an attempt that must fail and leave it as it is. */
SITE static void *stress_realloc(size_t size)
{
	struct block *old = take(), was = {0};
	bool counted = old != NULL && counts(old);
	if (old != NULL && stress_random() % 16 == 0)
		stress_must(refuse(old) && errno == ENOMEM, "realloc refuses more than there is");
	if (old != NULL)
		was = *old;
	if (counted)
		add(&stress_sites[was.site].done.freeing, was.size);
	void *p = realloc(old, size);
	if (counted)
		add(&stress_sites[was.site].done.freed, was.size);
	return kept(p);
}

static const struct {
	const char *name;
	void *(*call)(size_t size);
} ways[STRESS_WAYS] = {
	{"stress_malloc", stress_malloc},
	{"stress_calloc", stress_calloc},
	{"stress_memalign", stress_memalign},
	{"stress_strdup", stress_strdup},
	{"stress_realloc", stress_realloc},
};

const char *stress_way(int way)
{
	return way < STRESS_WAYS ? ways[way].name : NULL;
}

static void release(struct block *b)
{
	struct block was = *b;
	bool counted = counts(b);
	if (counted)
		add(&stress_sites[was.site].done.freeing, was.size);
	free(b);
	if (counted)
		add(&stress_sites[was.site].done.freed, was.size);
}

static void leave(void *p)
{
	struct block *other = atomic_exchange(&pool[stress_random() % POOL], p);
	if (other != NULL)
		release(other);
}

static __attribute__((always_inline)) inline void visit_by(uint32_t site, void *(*call)(size_t size))
{
	struct site *s = &stress_sites[site];
	size_t size = s->sizes[stress_random() % STRESS_SIZES];
	add(&s->done.begun, size);
	struct block *b = call(size);
	add(&s->done.allocated, size);
	stress_must(b != NULL, "there is memory");
	*b = (struct block){site, recording, size};
	leave(b);
}

SITE void stress_visit(uint32_t site)
{
	visit_by(site, ways[stress_sites[site].way].call);
}

SITE void stress_visit_by(uint32_t site, void *(*call)(size_t size))
{
	visit_by(site, call);
}

void stress_free_all(void)
{
	for (int i = 0; i < POOL; i++) {
		struct block *b = atomic_exchange(&pool[i], NULL);
		if (b != NULL)
			release(b);
	}
}

static void read_flow(struct flow *to, struct flow *from)
{
	to->objects = __atomic_load_n(&from->objects, __ATOMIC_SEQ_CST);
	to->bytes = __atomic_load_n(&from->bytes, __ATOMIC_SEQ_CST);
}

void stress_read(uint32_t site, struct done *d)
{
	struct done *from = &stress_sites[site].done;
	read_flow(&d->begun, &from->begun);
	read_flow(&d->allocated, &from->allocated);
	read_flow(&d->freeing, &from->freeing);
	read_flow(&d->freed, &from->freed);
}

void stress_begin(uint32_t number)
{
	recording = number;
}

void stress_set_end(int end)
{
	ended = end;
}

bool stress_ended(void)
{
	return ended;
}

void stress_count(enum event e)
{
	events[e]++;
}

uint64_t stress_events(enum event e)
{
	return events[e];
}

void stress_must(bool ok, const char *what)
{
	if (ok)
		return;
	stress_count(FAILURES);
	dprintf(STDERR_FILENO, "failed: %s\n", what);
}
