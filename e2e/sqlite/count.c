#include "count.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

/* As in sqlite3.h, which only go-sqlite3 has; the functions are linked into this program. */
struct sqlite3_mem_methods {
	void *(*xMalloc)(int);
	void (*xFree)(void *);
	void *(*xRealloc)(void *, int);
	int (*xSize)(void *);
	int (*xRoundup)(int);
	int (*xInit)(void *);
	void (*xShutdown)(void *);
	void *pAppData;
};
extern int sqlite3_config(int option, ...);
enum { SQLITE_CONFIG_MALLOC = 4, SQLITE_CONFIG_GETMALLOC = 5 };

/* SQLite's mem1.c keeps each block's size in 8 bytes of its own. */
enum { HEADER = 8, TABLE = 1 << 17 };

struct entry {
	void *block;
	int bytes, phase;
	enum counted_method method;
};

static struct sqlite3_mem_methods real;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct counted sums[COUNTED_PHASES][COUNTED_METHODS];
static struct entry table[TABLE];
static __thread int current;

/* The entry of a block, or the free entry where the block belongs. */
static struct entry *find(void *block)
{
	size_t i = ((uintptr_t)block >> 4) * 0x9e3779b97f4a7c15u >> 47;
	while (table[i].block && table[i].block != block)
		i = (i + 1) % TABLE;
	return &table[i];
}

static void forget(void *block)
{
	struct entry *entry = find(block);
	struct counted *sum = &sums[entry->phase][entry->method];
	if (!entry->block)
		abort();
	sum->inuse_objects--;
	sum->inuse_bytes -= entry->bytes;
	entry->bytes = 0; /* the entry stays, for the next block at this address */
}

static void remember(void *block, int bytes, enum counted_method method)
{
	struct counted *sum = &sums[current][method];
	*find(block) = (struct entry){block, bytes, current, method};
	sum->alloc_objects++, sum->inuse_objects++;
	sum->alloc_bytes += bytes, sum->inuse_bytes += bytes;
}

/* The mutex is held across the real call, so that no other thread gets an address before it is forgotten here. */
__attribute__((noinline)) static void *counted_malloc(int size)
{
	pthread_mutex_lock(&mutex);
	void *block = real.xMalloc(size);
	if (block)
		remember(block, size + HEADER, COUNTED_MALLOC);
	pthread_mutex_unlock(&mutex);
	return block;
}

__attribute__((noinline)) static void *counted_realloc(void *block, int size)
{
	pthread_mutex_lock(&mutex);
	void *moved = real.xRealloc(block, size);
	if (moved) {
		forget(block);
		remember(moved, size + HEADER, COUNTED_REALLOC);
	}
	pthread_mutex_unlock(&mutex);
	return moved;
}

static void counted_free(void *block)
{
	pthread_mutex_lock(&mutex);
	forget(block);
	real.xFree(block);
	pthread_mutex_unlock(&mutex);
}

int counted_install(void)
{
	int error = sqlite3_config(SQLITE_CONFIG_GETMALLOC, &real);
	struct sqlite3_mem_methods counting = real;
	counting.xMalloc = counted_malloc;
	counting.xRealloc = counted_realloc;
	counting.xFree = counted_free;
	return error ? error : sqlite3_config(SQLITE_CONFIG_MALLOC, &counting);
}

int counted_enter(int phase)
{
	int before = current;
	current = phase;
	return before;
}

struct counted counted_sum(int phase, enum counted_method method)
{
	pthread_mutex_lock(&mutex);
	struct counted sum = sums[phase][method];
	pthread_mutex_unlock(&mutex);
	return sum;
}
