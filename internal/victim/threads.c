/* Many threads, none of which ever enters Go. */

#include <pthread.h>
#include <stdlib.h>

#include "victim.h"

VICTIM_SITE static void *brief(void *size)
{
	void *block = malloc((size_t)size);
	VICTIM_USE(block);
	free(block);
	return NULL;
}

int victim_brief_threads(unsigned count, size_t size)
{
	enum { AT_ONCE = 8 };
	pthread_t threads[AT_ONCE];
	for (unsigned begun = 0; begun < count;) {
		unsigned n = 0;
		int error = 0;
		while (n < AT_ONCE && begun + n < count && !error)
			error = pthread_create(&threads[n++], NULL, brief, (void *)size);
		begun += n;
		for (n -= error != 0; n > 0; n--)
			pthread_join(threads[n - 1], NULL);
		if (error)
			return error;
	}
	return 0;
}

/* Blocks lie in slots. A thread that puts a new block into a slot frees the block that was there, whichever thread
   allocated it. */
struct exchange {
	struct victim_slots *slots;
	size_t size;
	unsigned count, random;
};

VICTIM_SITE static void *exchange(void *argument)
{
	struct exchange *e = argument;
	for (unsigned i = 0; i < e->count; i++) {
		void *block = malloc(e->size);
		VICTIM_USE(block);
		e->random = e->random * 1664525 + 1013904223;
		free(__atomic_exchange_n(&e->slots->blocks[(e->random >> 16) % VICTIM_SLOTS], block, __ATOMIC_ACQ_REL));
	}
	return NULL;
}

int victim_exchange(struct victim_slots *slots, unsigned threads, unsigned count, size_t size)
{
	enum { MOST = 16 };
	struct exchange e[MOST];
	pthread_t ids[MOST];
	unsigned n = 0;
	int error = 0;
	while (n < threads && n < MOST && !error) {
		e[n] = (struct exchange){slots, size, count, n};
		error = pthread_create(&ids[n], NULL, exchange, &e[n]);
		n += !error;
	}
	while (n > 0)
		pthread_join(ids[--n], NULL);
	return error;
}

/* The destructor of a thread's key, which runs when the thread's function has returned. */
static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

struct last_words {
	size_t size;
	void *kept;
};

VICTIM_SITE static void last_words(void *argument)
{
	struct last_words *words = argument;
	void *block = malloc(words->size);
	VICTIM_USE(block);
	free(block);
	words->kept = malloc(words->size);
	VICTIM_USE(words);
}

static void make_key(void)
{
	pthread_key_create(&key, last_words);
}

static void *set_key(void *words)
{
	pthread_setspecific(key, words);
	return NULL;
}

void *victim_malloc_in_tls_destructor(size_t size)
{
	struct last_words words = {size, NULL};
	pthread_t thread;
	pthread_once(&once, make_key);
	if (!pthread_create(&thread, NULL, set_key, &words))
		pthread_join(thread, NULL);
	return words.kept;
}

/* Allocated before main, and so before Go. */
static void *constructed;

__attribute__((constructor)) VICTIM_SITE static void construct(void)
{
	constructed = malloc(100);
	VICTIM_USE(constructed);
}

void *victim_constructed(void)
{
	return __atomic_exchange_n(&constructed, NULL, __ATOMIC_ACQ_REL);
}
