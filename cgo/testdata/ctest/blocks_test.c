// The allocator for programs without one (blocks.c), through the family that is made of it (fallback.c): every operation is
// done on a list as well, which has each block's address, size and content.

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../blocks.h"
#include "../../fallback.h"
#include "check.h"

static struct real family;

struct block {
	uint8_t *at;
	size_t size;
	uint8_t content;
};

static uint64_t draw(uint64_t *random)
{
	*random = *random * 6364136223846793005u + 1442695040888963407u;
	return *random >> 33;
}

// Mostly small, now and then up to 1 MiB.
static size_t draw_size(uint64_t *random)
{
	return draw(random) % ((size_t)1 << (draw(random) % 16 == 0 ? draw(random) % 21 : draw(random) % 12));
}

static void fill(struct block *b, uint64_t *random)
{
	b->content = (uint8_t)draw(random);
	memset(b->at, b->content, b->size);
}

static bool holds(const struct block *b, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (b->at[i] != b->content)
			return false;
	return true;
}

static struct block allocate(uint64_t *random)
{
	struct block b = {NULL, draw_size(random), 0};
	size_t alignment = (size_t)16 << draw(random) % 9, n = 1 + b.size % 7;
	switch (draw(random) % 5) {
	case 0:
		b.size = b.size / n * n;
		b.at = family.calloc(b.size / n, n);
		check(b.at != NULL && holds(&b, b.size));
		break;
	case 1:
		b.at = family.memalign(alignment, b.size);
		check((uintptr_t)b.at % alignment == 0);
		break;
	case 2:
		check(family.posix_memalign((void **)&b.at, alignment, b.size) == 0 && (uintptr_t)b.at % alignment == 0);
		break;
	default:
		b.at = family.malloc(b.size);
	}
	check(b.at != NULL && (uintptr_t)b.at % 16 == 0 && family.malloc_usable_size(b.at) >= b.size);
	fill(&b, random);
	return b;
}

static void resize(struct block *b, uint64_t *random)
{
	size_t size = 1 + draw_size(random), least = size < b->size ? size : b->size;
	b->at = family.realloc(b->at, size);
	check(b->at != NULL && family.malloc_usable_size(b->at) >= size && holds(b, least));
	b->size = size;
	fill(b, random);
}

static void release(struct block *b)
{
	check(holds(b, b->size));
	family.free(b->at);
	b->at = NULL;
}

static void step(struct block *b, uint64_t *random)
{
	if (b->at == NULL)
		*b = allocate(random);
	else if (draw(random) % 4 == 0)
		resize(b, random);
	else
		release(b);
}

static int by_address(const void *a, const void *b)
{
	const struct block *x = a, *y = b;
	return x->at < y->at ? -1 : x->at > y->at;
}

static void no_two_overlap(struct block *blocks, size_t n)
{
	qsort(blocks, n, sizeof *blocks, by_address);
	for (size_t i = 1; i < n; i++)
		check(blocks[i - 1].at == NULL || blocks[i - 1].at + family.malloc_usable_size(blocks[i - 1].at) <= blocks[i].at);
}

#define BLOCKS 500

static void agrees_with_a_list(void)
{
	static struct block blocks[BLOCKS];
	uint64_t random = 1;
	for (int i = 0; i < 100000 / SCALE; i++) {
		step(&blocks[draw(&random) % BLOCKS], &random);
		if (i % 1000 == 0)
			no_two_overlap(blocks, BLOCKS);
	}
	for (int i = 0; i < BLOCKS; i++)
		if (blocks[i].at != NULL)
			release(&blocks[i]);
}

// The smallest size that has as many bytes, by trying one after the other.
static size_t smallest(size_t bytes)
{
	for (size_t doubled = 32; ; doubled *= 2)
		for (size_t size = doubled; size < 2 * doubled; size += doubled < 64 ? 16 : doubled / 4)
			if (size >= bytes)
				return size;
}

static void sizes_are_the_smallest(void)
{
	for (size_t size = 0; size + 16 <= 256 << 10; size += size < 5000 ? 1 : 61) {
		void *p = family.malloc(size);
		check(family.malloc_usable_size(p) + 16 == smallest(size + 16));
		family.free(p);
	}
}

// How much is mapped. It allocates nothing.
static long mapped_kib(void)
{
	static char text[1 << 20];
	size_t length = 0;
	int f = open("/proc/self/maps", O_RDONLY);
	for (ssize_t n; (n = read(f, text + length, sizeof text - 1 - length)) > 0;)
		length += (size_t)n;
	check(f >= 0 && close(f) == 0 && length > 0 && length < sizeof text - 1);
	text[length] = 0;
	unsigned long start, limit, all = 0;
	for (const char *line = text; line != NULL && sscanf(line, "%lx-%lx", &start, &limit) == 2; line = strchr(line, '\n'), line += line != NULL)
		all += limit - start;
	return (long)(all >> 10);
}

static void freed_memory_is_used_again(void)
{
	static const size_t sizes[] = {1, 100, 1000, 100000, 240000, 300000, 5 << 20};
	long before = 0;
	for (int round = 0; round < 40; round++) {
		for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
			void *p[64];
			for (int i = 0; i < 64; i++)
				check((p[i] = family.malloc(sizes[s])) != NULL);
			for (int i = 0; i < 64; i++)
				family.free(p[i]);
		}
		if (round == 0)
			before = mapped_kib();
	}
	check(mapped_kib() <= before);
}

static void large_blocks_go_back_to_the_kernel(void)
{
	long before = mapped_kib();
	void *p = family.malloc(64 << 20), *q = family.memalign(32 << 20, 64 << 20);
	check(mapped_kib() >= before + (128 << 10) && mapped_kib() < before + (129 << 10));
	check((uintptr_t)q % (32 << 20) == 0);
	p = family.realloc(p, 16 << 20);
	check(mapped_kib() < before + (81 << 10));
	family.free(p);
	family.free(q);
	check(mapped_kib() == before);
}

static void what_is_refused(void)
{
	void *p = family.malloc(100), *q = p;
	memset(p, 7, 100);
	const size_t much[] = {SIZE_MAX, SIZE_MAX - 15, SIZE_MAX / 2, (size_t)1 << 50};
	for (size_t i = 0; i < sizeof much / sizeof much[0]; i++) {
		errno = 0;
		check(family.malloc(much[i]) == NULL && errno == ENOMEM);
		errno = 0;
		check(family.calloc(1, much[i]) == NULL && errno == ENOMEM);
		errno = 0;
		check(family.realloc(p, much[i]) == NULL && errno == ENOMEM && *(char *)p == 7);
		errno = 0;
		check(family.memalign(64, much[i]) == NULL && errno == ENOMEM);
		check(family.posix_memalign(&q, 64, much[i]) == ENOMEM && q == p);
	}
	errno = 0;
	check(family.memalign((size_t)1 << 62, 1) == NULL && errno == ENOMEM);
	check(family.memalign(48, 1) == NULL && errno == EINVAL);
	check(family.posix_memalign(&q, 48, 1) == EINVAL && family.posix_memalign(&q, 4, 1) == EINVAL && q == p);
	errno = 5;
	family.free(NULL);
	check(family.malloc_usable_size(NULL) == 0 && family.realloc(p, 0) == NULL);
	family.free(family.malloc(1 << 20));
	check(errno == 5);
}

// Without the sanitizer's checks at exit, which miss the parent's threads.
static void leave(int code)
{
	syscall(SYS_exit_group, code);
}

// With little address space left there is none for a chunk, but there is for the block.
static void without_room_for_a_chunk(void)
{
	pid_t child = fork();
	if (child == 0) {
		struct rlimit little = {(rlim_t)(mapped_kib() + 2048) << 10, RLIM_INFINITY};
		check(setrlimit(RLIMIT_AS, &little) == 0);
		if (mmap(NULL, 4 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED)
			leave(0); // an emulator of the processor, which keeps to no limit
		int n = 0;
		for (void *p; n < 1000 && (p = family.malloc(250000)) != NULL; n++)
			memset(p, 1, 250000);
		leave(n >= 4 && n < 1000 && errno == ENOMEM ? 0 : 1);
	}
	int status;
	check(child > 0 && waitpid(child, &status, 0) == child && status == 0);
}

// Blocks go from thread to thread: who takes one out of a slot puts another one there.
#define SLOTS 16
#define THREADS 4
static struct block *slots[SLOTS];

static void *exchange(void *seed)
{
	uint64_t random = (uintptr_t)seed;
	for (int i = 0; i < 200000 / SCALE; i++) {
		struct block *b = family.malloc(sizeof *b);
		b->size = draw(&random) % 200;
		b->at = family.malloc(b->size);
		check(b->at != NULL);
		fill(b, &random);
		b = __atomic_exchange_n(&slots[draw(&random) % SLOTS], b, __ATOMIC_ACQ_REL);
		if (b != NULL) {
			release(b);
			family.free(b);
		}
	}
	return NULL;
}

static void start_threads(pthread_t *threads)
{
	for (uintptr_t i = 0; i < THREADS; i++)
		check(pthread_create(&threads[i], NULL, exchange, (void *)(i + 1)) == 0);
}

static void join_threads(const pthread_t *threads)
{
	for (int i = 0; i < THREADS; i++)
		check(pthread_join(threads[i], NULL) == 0);
}

static void threads_never_share_a_block(void)
{
	pthread_t threads[THREADS];
	long before = 0;
	for (int round = 0; round < 3; round++) {
		start_threads(threads);
		join_threads(threads);
		if (round == 0)
			before = mapped_kib();
	}
	check(mapped_kib() <= before + (8 << 10)); // 2.4 million blocks of 200 bytes would be more
}

static struct block of_handler[8];
static volatile sig_atomic_t handled;

static void handle(int signal)
{
	static uint64_t random = 5;
	(void)signal;
	int error = errno;
	for (int i = 0; i < 8; i++)
		step(&of_handler[i], &random);
	handled++;
	errno = error;
}

static void handlers_may_allocate(void)
{
	struct sigaction action = {.sa_handler = handle}, old;
	struct itimerval often = {{0, 200}, {0, 200}}, never = {0};
	static struct block blocks[64];
	uint64_t random = 3;
	check(sigaction(SIGALRM, &action, &old) == 0 && setitimer(ITIMER_REAL, &often, NULL) == 0);
	while (handled < 200)
		step(&blocks[draw(&random) % 64], &random);
	check(setitimer(ITIMER_REAL, &never, NULL) == 0 && sigaction(SIGALRM, &old, NULL) == 0);
}

// Where a handler interrupts the taking of the first block of a list, it takes that block and the second one, and returns the first:
// the list begins as before, but the second block is not free any more.
#define HELD 64
static char *held[HELD];

static void take_two_return_one(int signal)
{
	(void)signal;
	char *first = family.malloc(1), *second = family.malloc(1), **slot = &held[handled++ % HELD];
	if (*slot != NULL)
		check(**slot == 'h');
	family.free(*slot);
	family.free(first);
	*slot = second;
	*second = 'h';
}

static void lists_that_look_unchanged(void)
{
	struct sigaction action = {.sa_handler = take_two_return_one}, old;
	struct itimerval often = {{0, 50}, {0, 50}}, never = {0};
	handled = 0;
	check(sigaction(SIGALRM, &action, &old) == 0 && setitimer(ITIMER_REAL, &often, NULL) == 0);
	while (handled < 2000) {
		char *p[3];
		for (int i = 0; i < 3; i++)
			*(p[i] = family.malloc(1)) = 'm';
		for (int i = 0; i < 3; i++)
			family.free(p[i]);
	}
	check(setitimer(ITIMER_REAL, &never, NULL) == 0 && sigaction(SIGALRM, &old, NULL) == 0);
}

static int allocate_in_child(void)
{
	static struct block blocks[64];
	uint64_t random = 9;
	for (int i = 0; i < 2000; i++)
		step(&blocks[draw(&random) % 64], &random);
	return 0;
}

static void children_may_allocate(void)
{
	pthread_t threads[THREADS];
	start_threads(threads);
	for (int i = 0; i < 20; i++) {
		int status;
		pid_t child = fork();
		if (child == 0)
			leave(allocate_in_child());
		check(child > 0 && waitpid(child, &status, 0) == child && status == 0);
	}
	join_threads(threads);
}

int main(void)
{
	fallback_stand_in(&family);
	run("blocks agree with a list of them", agrees_with_a_list);
	run("a small block has the smallest size that holds it", sizes_are_the_smallest);
	run("freed memory is used again", freed_memory_is_used_again);
	run("large blocks go back to the kernel", large_blocks_go_back_to_the_kernel);
	run("what is refused leaves everything as it was, and errno says why", what_is_refused);
	run("without room for a chunk, a block is mapped alone", without_room_for_a_chunk);
	run("threads never share a block", threads_never_share_a_block);
	run("a handler may allocate wherever it interrupts", handlers_may_allocate);
	run("a list that a handler has changed and that begins as before is not mistaken for the old one", lists_that_look_unchanged);
	run("a child may allocate, wherever its parent's other threads were", children_may_allocate);
	return 0;
}
