// The heaps of glibc's malloc as a copy of the process reads them, against a list of the blocks that the test has in use
// and has freed, and against malloc's own figures. The program runs itself again with other settings of malloc's.
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>

#include "../../machine.h"
#include "heaps.h"

#define MOST 2000000
#define THREADS 6

struct seen {
	uint64_t user, usable, is_free;
};

static struct {
	uint64_t count, heaps, unknown, caches, memory, found;
	struct seen chunks[MOST];
} *all; // what the copy saw

static struct twin_malloc known;
static struct twin_block recorded[1000];
static uint64_t recorded_count;

static void note(void *arg, uint64_t user, uint64_t usable, bool is_free)
{
	(void)arg;
	if (all->count < MOST)
		all->chunks[all->count] = (struct seen){user, usable, is_free};
	all->count++;
}

static void add_memory(void *arg, uint64_t start, uint64_t limit)
{
	(void)arg;
	all->memory += limit - start;
}

static void read_heaps(void)
{
	struct twin_heaps h;
	all->count = all->memory = 0;
	struct twin_maps maps = read_maps();
	all->found = twin_heaps_find(&h, &known, &maps, recorded, recorded_count);
	all->heaps = h.count;
	all->unknown = h.unknown;
	all->caches = h.caches;
	twin_heaps_each(&h, add_memory, NULL);
	twin_chunks(&h, note, NULL);
}

// A block that the test knows of.
struct block {
	uint64_t at, usable;
};

static struct block live[THREADS][MOST / 20], freed[THREADS][MOST / 20];
static int live_count[THREADS], freed_count[THREADS];

// The last chunk that begins at or before the address.
static struct seen *seen_at(uint64_t at)
{
	uint64_t from = 0, to = all->count;
	while (from < to) {
		uint64_t middle = (from + to) / 2;
		if (all->chunks[middle].user <= at)
			from = middle + 1;
		else
			to = middle;
	}
	return from == 0 ? NULL : &all->chunks[from - 1];
}

static bool is_free_at(uint64_t at)
{
	const struct seen *s = seen_at(at + 16);
	return s != NULL && s->is_free && at < s->user + s->usable;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = ((const struct block *)a)->at, y = ((const struct block *)b)->at;
	return x < y ? -1 : x > y;
}

static struct block flat[MOST];

static uint64_t flatten(struct block blocks[THREADS][MOST / 20], const int *counts)
{
	uint64_t n = 0;
	for (int t = 0; t < THREADS; t++)
		for (int i = 0; i < counts[t]; i++)
			flat[n++] = blocks[t][i];
	qsort(flat, n, sizeof *flat, compare);
	return n;
}

static bool in_live(uint64_t n, uint64_t at)
{
	uint64_t from = 0, to = n;
	while (from < to) {
		uint64_t middle = (from + to) / 2;
		if (flat[middle].at - 16 <= at) // a chunk's header
			from = middle + 1;
		else
			to = middle;
	}
	return from > 0 && at < flat[from - 1].at + flat[from - 1].usable;
}

static void visits_ascend(void)
{
	for (uint64_t i = 1; i < all->count; i++)
		check(all->chunks[i - 1].user + all->chunks[i - 1].usable <= all->chunks[i].user);
}

// Each block in use is a chunk of its size, and what was freed is free or was given out again.
static void agrees(void)
{
	check(in_twin(read_heaps) == 0);
	check(all->found && all->unknown == 0 && all->count > 0 && all->count <= MOST);
	visits_ascend();
	uint64_t n = flatten(live, live_count), missing = 0, again = 0;
	for (uint64_t i = 0; i < n; i++) {
		const struct seen *s = seen_at(flat[i].at);
		if (s == NULL || s->is_free || s->user + s->usable != flat[i].at + flat[i].usable ||
		    (s->user != flat[i].at && s->user % known.page != 16))
			missing++;
	}
	check(missing == 0);
	for (int t = 0; t < THREADS; t++)
		for (int i = 0; i < freed_count[t]; i++)
			for (uint64_t at = freed[t][i].at; at < freed[t][i].at + freed[t][i].usable - 8; at += 16 * 37)
				if (!is_free_at(at) && !in_live(n, at)) {
					struct seen *s = seen_at(at);
					if (s != NULL && at < s->user + s->usable) {
						again++;
						s->is_free = true; // that is one
					}
					break;
				}
	check(again <= 20); // libc's own
	if (again > 0)
		printf("    %lu chunks are others'\n", (unsigned long)again);
}

static uint64_t free_bytes(void)
{
	uint64_t sum = 0;
	for (uint64_t i = 0; i < all->count; i++)
		if (all->chunks[i].is_free)
			sum += all->chunks[i].usable + 8;
	return sum;
}

static uint64_t tops(void)
{
	uint64_t n = 0; // a top has no word of the next chunk
	for (uint64_t i = 0; i < all->count; i++)
		n += all->chunks[i].is_free && all->chunks[i].usable % 16 == 0;
	return n;
}

static bool has_caches(void)
{
	const char *tunables = getenv("GLIBC_TUNABLES");
	return tunables == NULL || strstr(tunables, "tcache_count=0") == NULL;
}

// Without caches, malloc's own sum of what is free is the same to the byte. With them, it calls what they hold in use.
static void agrees_with_malloc(void)
{
	struct mallinfo2 own = mallinfo2();
	check(in_twin(read_heaps) == 0);
	uint64_t sum = free_bytes() + 8 * tops();
	if (has_caches())
		check(sum >= own.fordblks && all->caches > 0);
	else
		check(sum == own.fordblks && all->caches == 0);
}

static size_t some_size(uint64_t *random)
{
	switch (random_below(random, 20)) {
	case 0:
		return random_below(random, 300000);
	case 1 ... 4:
		return random_below(random, 9000);
	default:
		return random_below(random, 500);
	}
}

static void *some_block(uint64_t *random)
{
	size_t size = some_size(random);
	void *at;
	switch (random_below(random, 12)) {
	case 0:
		return memalign(16ULL << random_below(random, 10), size);
	case 1:
		return calloc(1, size);
	case 2:
		return realloc(malloc(some_size(random)), size + 1);
	default:
		at = malloc(size);
		memset(at, 0xff, size); // no header is like that
		return at;
	}
}

static void churn(int t, uint64_t seed, int rounds)
{
	uint64_t random = seed;
	for (int i = 0; i < rounds; i++) {
		if (live_count[t] > 0 && random_below(&random, 100) < 45) {
			int which = (int)random_below(&random, (uint64_t)live_count[t]);
			freed[t][freed_count[t]++] = live[t][which];
			free((void *)live[t][which].at);
			live[t][which] = live[t][--live_count[t]];
			continue;
		}
		void *at = some_block(&random);
		check(at != NULL);
		live[t][live_count[t]++] = (struct block){(uint64_t)at, malloc_usable_size(at)};
	}
}

static void forget(void)
{
	for (int t = 0; t < THREADS; t++) {
		for (int i = 0; i < live_count[t]; i++)
			free((void *)live[t][i].at);
		live_count[t] = freed_count[t] = 0;
	}
}

static void one_thread(void)
{
	for (uint64_t seed = 1; seed <= 5; seed++) {
		churn(0, seed, 8000);
		agrees();
		agrees_with_malloc();
		freed_count[0] = 0;
	}
	forget();
	agrees();
	malloc_trim(0);
	agrees_with_malloc();
}

static pthread_barrier_t barrier;

static void *thread(void *argument)
{
	int t = (int)(intptr_t)argument;
	churn(t, (uint64_t)t, 10000);
	pthread_barrier_wait(&barrier); // they are read, while the caches are there
	pthread_barrier_wait(&barrier);
	return NULL;
}

static void several_threads(void)
{
	pthread_t threads[THREADS];
	for (int round = 0; round < 3; round++) {
		check(pthread_barrier_init(&barrier, NULL, THREADS) == 0);
		for (int t = 1; t < THREADS; t++)
			check(pthread_create(&threads[t], NULL, thread, (void *)(intptr_t)t) == 0);
		churn(0, 99, 10000);
		pthread_barrier_wait(&barrier);
		agrees();
		agrees_with_malloc();
		if (has_caches())
			check(all->caches == THREADS);
		pthread_barrier_wait(&barrier);
		for (int t = 1; t < THREADS; t++)
			check(pthread_join(threads[t], NULL) == 0);
		agrees();
		agrees_with_malloc();
		forget();
	}
}

// All sizes of the fast bins, and more blocks than the caches take.
static void small_blocks(void)
{
	static void *blocks[20000];
	for (int settings = 0; settings < 3; settings++) {
		check(mallopt(M_MXFAST, settings * 80) == 1);
		for (int i = 0; i < 20000; i++) {
			blocks[i] = malloc((size_t)(i % 140));
			live[0][live_count[0]++] = (struct block){(uint64_t)blocks[i], malloc_usable_size(blocks[i])};
		}
		live_count[0] = 0;
		for (int i = 0; i < 20000; i++) {
			struct block b = {(uint64_t)blocks[i], malloc_usable_size(blocks[i])};
			if (i % 3 == 0) {
				freed[0][freed_count[0]++] = b;
				free(blocks[i]);
			} else {
				live[0][live_count[0]++] = b;
			}
		}
		agrees();
		agrees_with_malloc();
		forget();
	}
	check(mallopt(M_MXFAST, 64 * sizeof(size_t) / 4) == 1);
}

// Others take memory behind malloc's heap. What it is full of must not matter.
static void memory_by_sbrk(void)
{
	for (int told = 0; told < 2; told++)
		for (int fill = 0; fill < 3; fill++) {
			if (fill == 1 && !told)
				continue; // what is full of chunks is not told from malloc's
			churn(0, (uint64_t)fill + 7, 3000);
			char *own = sbrk(200 << 10);
			check(own != (void *)-1);
			for (int i = 0; i < 200 << 10; i += 8)
				*(uint64_t *)(own + i) = fill == 0 ? 0 : fill == 1 ? 0x21 : (uint64_t)i * 0x9e3779b97f4a7c15ULL;
			if (told)
				known.others[known.others_count++] =
					(struct twin_range){(uint64_t)own, (uint64_t)own + (200 << 10)};
			for (int i = 0; i < 40; i++) { // the heap goes on behind it
				void *at = malloc(100000);
				live[1][live_count[1]++] = (struct block){(uint64_t)at, malloc_usable_size(at)};
			}
			churn(0, (uint64_t)fill + 8, 6000);
			agrees();
		}
	forget();
	agrees();
}

// Blocks that are mapped one by one, beside mappings of others that the kernel joins with theirs.
static void mapped_blocks(void)
{
	for (int i = 0; i < 200; i++) {
		void *at = malloc((size_t)(40 << 20) + (size_t)i * 5000);
		live[0][live_count[0]++] = (struct block){(uint64_t)at, malloc_usable_size(at)};
		if (i % 3 == 0) {
			uint64_t *other = pages_map(3 * known.page);
			check(other != NULL);
			other[0] = 1;
		}
	}
	agrees();
	uint64_t blocks = mallinfo2().hblks, bytes = mallinfo2().hblkhd, seen = 0, sum = 0;
	for (uint64_t i = 0; i < all->count; i++)
		if (all->chunks[i].user % known.page == 16 && all->chunks[i].usable > 32 << 20) {
			seen++;
			sum += all->chunks[i].usable + 16;
		}
	check(blocks == seen && bytes == sum);
	uint64_t of_blocks = known.mapped_blocks; // without the numbers, only whole mappings count
	known.mapped_blocks = 0;
	check(in_twin(read_heaps) == 0);
	check(all->found && all->unknown == 0);
	known.mapped_blocks = of_blocks;
	forget();
	agrees();
}

// A block in use may hold what a cached one does.
static void blocks_like_cached_ones(void)
{
	for (int i = 0; i < 1000; i++) {
		uint64_t *at = malloc(0x280);
		memset(at, 0, 0x280);
		at[1] = known.key;
		((uint16_t *)at)[3] = 1;
		at[16 + 3] = i > 0 ? live[0][i - 1].at : 0; // as if it were a cache
		live[0][live_count[0]++] = (struct block){(uint64_t)at, malloc_usable_size(at)};
	}
	agrees();
	forget();
}

// Corrupts the size of a chunk in the copy, and reads.
static uint64_t corrupt_at, corrupt_with;

static void read_corrupt(void)
{
	if (corrupt_at != 0)
		*(uint64_t *)corrupt_at = corrupt_with;
	read_heaps();
}

static void corrupt_sizes(void)
{
	churn(0, 5, 20000);
	agrees();
	uint64_t heaps = all->heaps, random = 4;
	for (int i = 0; i < 200; i++) {
		const struct block *b = &live[0][random_below(&random, (uint64_t)live_count[0])];
		if (b->at % known.page == 16 || b->usable < 24 || b->usable > 1000)
			continue;
		static const uint64_t sizes[] = {0, 1, 0x11, 0x29, INT64_MAX - 31, ~0ULL - 14, 1ULL << 32, 0x4141414141414141};
		corrupt_at = b->at - 8;
		corrupt_with = sizes[i % 8];
		check(in_twin(read_corrupt) == 0);
		check(all->found && all->unknown == 1 && all->heaps < heaps);
	}
	forget();
}

static uint64_t torn_at, torn_size;

static void read_cut(void)
{
	uint64_t rest = torn_at + 64;
	*(uint64_t *)(torn_at + 8) = 64 | 1;
	*(uint64_t *)(known.arena + 112) = rest;
	*(uint64_t *)(rest + 8) = 0xabcdefabcdef;
	read_heaps();
}

static void read_cut_top(void)
{
	uint64_t *top = (uint64_t *)(known.arena + 96);
	*top += 64;
	*(uint64_t *)(*top + 8) = 0xabcdefabcdef;
	read_heaps();
}

static void read_written_top(void)
{
	*(uint64_t *)(*(uint64_t *)(known.arena + 96) + 8) = 64 | 1;
	read_cut_top();
}

// Whether it is free, by the layout, in the first arena, and not its top.
static bool cuttable(const struct seen *s)
{
	uint64_t size = s->usable + 8;
	return s->is_free && s->user < (uint64_t)sbrk(0) && size > 2000 && size % 16 == 0 &&
	       *(uint64_t *)(s->user - 16 + size) == size;
}

// A thread takes a piece off a free chunk, and has written where the rest is, but not yet its size; or nothing but where
// the top is.
static void torn_chunks(void)
{
	churn(0, 12, 5000);
	agrees();
	uint64_t count = all->count;
	torn_at = 0;
	for (uint64_t i = 0; i < all->count && torn_at == 0; i++)
		if (cuttable(&all->chunks[i])) {
			torn_at = all->chunks[i].user - 16;
			torn_size = all->chunks[i].usable;
		}
	check(torn_at != 0);
	check(in_twin(read_cut) == 0);
	const struct seen *s = seen_at(torn_at + 16);
	check(all->unknown == 0 && all->count == count && s->is_free && s->usable == torn_size);
	check(in_twin(read_cut_top) == 0);
	check(all->unknown == 0 && all->count == count + 1);
	check(in_twin(read_written_top) == 0);
	check(all->unknown == 0 && all->count == count + 1);
	forget();
}

// Any word of the arenas, of the caches and of the heaps may be anything.
static void corrupt_words(void)
{
	churn(0, 6, 3000);
	agrees();
	uint64_t random = 8;
	for (int i = 0; i < 1000; i++) {
		const struct block *b;
		do /* what malloc had mapped alone is no longer there */
			b = &freed[0][random_below(&random, (uint64_t)freed_count[0])];
		while (b->at < known.program.start || b->at + 24 > (uint64_t)sbrk(0));
		uint64_t word = random_below(&random, 280) * 8;
		uint64_t bases[] = {known.arena + word, known.program.start + word, b->at + 8 * random_below(&random, 3)};
		corrupt_at = bases[i % 3];
		uint64_t near = known.program.start + 16 * random_below(&random, 100000);
		uint64_t changed = *(uint64_t *)corrupt_at ^ 1ULL << random_below(&random, 64);
		uint64_t values[] = {0, ~0ULL, 16, corrupt_at, near, changed, random << 20 ^ random, b->at, 0x7ffffffff000};
		corrupt_with = values[random_below(&random, sizeof values / sizeof *values)];
		check(in_twin(read_corrupt) == 0);
	}
	corrupt_at = 0;
	forget();
}

// Threads allocate, and know what they have in use at each instant. A signal stops each of them wherever it is.
static struct {
	struct block blocks[200];
	uint64_t done;
	int stop, inside; // malloc or free, or about to be
} storm[THREADS];

static int stopped, releases;

static void *stormy(void *argument)
{
	int t = (int)(intptr_t)argument;
	uint64_t random = (uint64_t)t;
	while (!__atomic_load_n(&storm[t].stop, __ATOMIC_SEQ_CST)) {
		for (int i = 0; i < 20000; i++) /* most of the time is spent here */
			__asm__ volatile("");
		struct block *b = &storm[t].blocks[random_below(&random, 200)];
		uint64_t at = b->at;
		__atomic_store_n(&b->at, 0, __ATOMIC_SEQ_CST);
		__atomic_store_n(&storm[t].inside, 1, __ATOMIC_SEQ_CST);
		free((void *)at);
		void *block = malloc(some_size(&random));
		__atomic_store_n(&storm[t].inside, 0, __ATOMIC_SEQ_CST);
		b->usable = malloc_usable_size(block);
		__atomic_store_n(&b->at, (uint64_t)block, __ATOMIC_SEQ_CST);
		__atomic_fetch_add(&storm[t].done, 1, __ATOMIC_SEQ_CST);
	}
	return NULL;
}

static void stop_here(int signal)
{
	(void)signal;
	int now = __atomic_load_n(&releases, __ATOMIC_SEQ_CST);
	__atomic_fetch_add(&stopped, 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&releases, __ATOMIC_SEQ_CST) == now)
		system_call(SYS_futex, (long)&releases, FUTEX_WAIT_PRIVATE, now, 0);
}

static void stop_all(const pthread_t *threads)
{
	stopped = 0;
	for (int t = 1; t < THREADS; t++)
		check(pthread_kill(threads[t], SIGUSR1) == 0);
	while (__atomic_load_n(&stopped, __ATOMIC_SEQ_CST) < THREADS - 1)
		sched_yield();
}

// Returns when each thread has gone on.
static void release_all(void)
{
	uint64_t done[THREADS];
	for (int t = 1; t < THREADS; t++)
		done[t] = storm[t].done;
	__atomic_fetch_add(&releases, 1, __ATOMIC_SEQ_CST);
	system_call(SYS_futex, (long)&releases, FUTEX_WAKE_PRIVATE, THREADS, 0);
	for (int t = 1; t < THREADS; t++)
		while (__atomic_load_n(&storm[t].done, __ATOMIC_SEQ_CST) == done[t])
			sched_yield();
}

static void read_storm(void)
{
	uint64_t wrong = 0, unseen = 0;
	read_heaps();
	for (int t = 1; t < THREADS; t++)
		for (int i = 0; i < 200; i++) {
			const struct block *b = &storm[t].blocks[i];
			if (b->at == 0)
				continue;
			const struct seen *s = seen_at(b->at);
			bool within = s != NULL && b->at < s->user + s->usable;
			unseen += !within;
			wrong += within && (s->is_free || s->user + s->usable != b->at + b->usable);
		}
	all->memory = unseen << 32 | wrong;
}

struct storm_seen {
	uint64_t twins, unknown, wrong, unseen; // of the twins, those in which heaps are unknown, and those with faults
};

static void read_twin(struct storm_seen *seen)
{
	check(in_twin(read_storm) == 0);
	check(all->found);
	seen->twins++;
	if (all->unknown != 0) {
		seen->unknown++;
		return;
	}
	seen->wrong += (uint32_t)all->memory != 0;
	seen->unseen += all->memory >> 32 != 0;
}

static void storm_print(const char *which, const struct storm_seen *s)
{
	printf("    %s: of %lu twins, %lu lack blocks, %lu see some wrong, %lu do not know some heap\n", which, (unsigned long)s->twins,
	       (unsigned long)s->unseen, (unsigned long)s->wrong, (unsigned long)s->unknown);
}

static bool all_outside(void)
{
	for (int t = 1; t < THREADS; t++)
		if (storm[t].inside)
			return false;
	return true;
}

/* While all are stopped, a copy is of one instant, and right if nobody is inside malloc. A thread that is may not have written
 * the size of what it cuts off, and an old size that lies there may lead over blocks in use. Such a copy, and one that the
 * kernel makes while they run, which is of no instant, may be wrong, and must only end. Nobody is inside in a quarter to a half
 * of the rounds, so that none of 200 is such a one with a probability of 10^-24. */
static void in_a_storm(void)
{
	pthread_t threads[THREADS];
	struct storm_seen still = {0}, amid = {0}, torn = {0};
	struct sigaction old, action = {.sa_handler = stop_here};
	check(sigaction(SIGUSR1, &action, &old) == 0);
	for (int t = 1; t < THREADS; t++)
		check(pthread_create(&threads[t], NULL, stormy, (void *)(intptr_t)t) == 0);
	for (int round = 0; round < 200; round++) {
		stop_all(threads);
		read_twin(all_outside() ? &still : &amid);
		release_all();
		read_twin(&torn);
	}
	for (int t = 1; t < THREADS; t++)
		__atomic_store_n(&storm[t].stop, 1, __ATOMIC_SEQ_CST);
	for (int t = 1; t < THREADS; t++)
		check(pthread_join(threads[t], NULL) == 0);
	check(sigaction(SIGUSR1, &old, NULL) == 0);
	storm_print("of one instant", &still);
	storm_print("amid malloc", &amid);
	storm_print("of no instant", &torn);
	check(still.twins > 0 && still.unseen == 0 && still.wrong == 0 && still.unknown == 0);
}

// A block that is recorded is in use, even if the thread's cache has it.
static void recorded_blocks(void)
{
	uint64_t block = (uint64_t)malloc(100), between = (uint64_t)malloc(100);
	free((void *)block);
	check(in_twin(read_heaps) == 0);
	const struct seen *s = seen_at(block);
	check(s != NULL && s->user == block && s->is_free);
	recorded[0] = (struct twin_block){block - 500000, 8};
	recorded[1] = (struct twin_block){block, 100};
	recorded_count = 2;
	check(in_twin(read_heaps) == 0);
	s = seen_at(block);
	check(s != NULL && s->user == block && (!s->is_free || all->caches == 0));
	recorded_count = 0;
	free((void *)between);
}

static void nothing_known(void)
{
	struct twin_malloc before = known;
	known = (struct twin_malloc){.page = before.page};
	check(in_twin(read_heaps) == 0);
	check(all->found && all->count == 0 && all->unknown == 0);
	known = before;
}

static void tests(void)
{
	run("without an arena there are no heaps", nothing_known);
	run("one thread's blocks", one_thread);
	run("several threads' blocks, while they run and afterwards", several_threads);
	run("small blocks, with each setting of the fast bins", small_blocks);
	run("blocks that are mapped one by one", mapped_blocks);
	run("blocks in use that look like caches and cached ones", blocks_like_cached_ones);
	run("a recorded block is in use, whatever holds it", recorded_blocks);
	run("a chunk of a corrupt size makes its heap unknown", corrupt_sizes);
	run("chunks that a thread is just cutting", torn_chunks);
	run("any corrupt word does no harm", corrupt_words);
	run("memory of others in the data segment", memory_by_sbrk);
	run("in a storm of allocations", in_a_storm);
}

static const char *const settings[] = {
	"",
	"glibc.malloc.tcache_count=0",
	"glibc.malloc.tcache_count=100:glibc.malloc.arena_max=2",
	"glibc.malloc.tcache_max=200:glibc.malloc.mxfast=0:glibc.malloc.mmap_threshold=65536",
	NULL,
};

int main(int argc, char **argv)
{
	(void)argc;
	if (getenv("CGOHEAP_SETTING") == NULL) {
		for (int i = 0; settings[i] != NULL; i++) {
			printf("  malloc with %s\n", settings[i]);
			fflush(stdout);
			setenv("CGOHEAP_SETTING", settings[i], 1);
			setenv("GLIBC_TUNABLES", settings[i], 1);
			pid_t child = fork();
			if (child == 0) {
				execv("/proc/self/exe", argv);
				_exit(127);
			}
			int status;
			check(waitpid(child, &status, 0) == child);
			check(WIFEXITED(status) && WEXITSTATUS(status) == 0);
		}
		return 0;
	}
	all = shared_memory(sizeof *all);
	known = glibc();
	tests();
	return 0;
}
