// The hot paths: hot PATH ITERATIONS. The hooks are called under other names, in front of an allocator that takes
// almost nothing, so that only our instructions count.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../cgo/control.h"
#include "../../../cgo/device.h"
#include "../../../cgo/gate.h"
#include "../../../cgo/lookup.h"
#include "../../../cgo/region.h"

void *hook_malloc(size_t size);
void *hook_calloc(size_t count, size_t size);
void *hook_realloc(void *p, size_t size);
void hook_free(void *p);

// The real allocator: blocks of one size, the last freed first.
static char blocks[64][512] __attribute__((aligned(16)));
static void *unused[64];
static size_t unused_count;

void *hot_malloc(size_t size)
{
	(void)size;
	return unused[--unused_count];
}

void *hot_calloc(size_t count, size_t size)
{
	return hot_malloc(count * size);
}

// Every block is large enough for the largest size.
void *hot_realloc(void *p, size_t size)
{
	(void)size;
	return p;
}

void hot_free(void *p)
{
	unused[unused_count++] = p;
}

extern char text_begin[] __asm__("__executable_start"), text_end[] __asm__("etext");

// Functions without frame pointers, from by_sp on: each calls the one behind it, the last of them loop_walks.
#ifdef __x86_64__
#define CALL_NEXT "subq $24, %rsp\n call 1f\n addq $24, %rsp\n ret\n"
#define GO_TO "jmp "
#else
#define CALL_NEXT "sub sp, sp, #32\n str x30, [sp, #24]\n bl 1f\n ldr x30, [sp, #24]\n add sp, sp, #32\n ret\n"
#define GO_TO "b "
#endif
__asm__(".text\n by_sp:\n .rept 12\n" CALL_NEXT "1:\n .endr\n" GO_TO "loop_walks\n by_sp_end:\n");

void by_sp(void);
extern char by_sp_end[];

enum { ROWS = 4096 };

static uint64_t rule(struct rule r)
{
	uint64_t at = region_reserve(sizeof r);
	*(struct rule *)region_at(at) = r;
	return at;
}

// Code whose rows all have one rule.
static struct range range(uintptr_t start, uintptr_t limit, uint64_t set)
{
	struct range r = {.start = start, .limit = limit, .base = start, .rows = ROWS, .module = 1, .set = set};
	r.pcs = region_reserve(ROWS * sizeof(uint32_t));
	r.rules = region_reserve(ROWS * sizeof(uint16_t));
	uint32_t *pcs = region_at(r.pcs);
	for (uint32_t i = 0; i < ROWS; i++)
		pcs[i] = (uint32_t)((limit - start) / ROWS * i);
	memset(region_at(r.rules), 0, ROWS * sizeof(uint16_t));
	return r;
}

// Publishes an index of this program's own code, which keeps frame pointers except in the functions from by_sp on, and
// of the code in libc that starts a thread, where a walk is complete.
static void publish(uintptr_t thread_start)
{
	uint64_t at = region_reserve(sizeof(struct index) + 4 * sizeof(struct range));
	uint64_t from_fp = rule((struct rule){.cfa = CFA_FROM_FP, .cfa_offset = 16, .fp = FP_FROM_CFA, .fp_offset = -16,
		.ra = RA_FROM_CFA, .ra_offset = -8});
	uint64_t from_sp = rule((struct rule){.cfa = CFA_FROM_SP, .cfa_offset = 32, .fp = FP_SAME, .ra = RA_FROM_CFA,
		.ra_offset = -8});
	struct index *index = region_at(at);
	*index = (struct index){.count = 4, .number = 1, .cache = region_reserve(CACHE_ENTRIES * sizeof(struct cache_entry))};
	index->ranges[0] = range((uintptr_t)text_begin, (uintptr_t)by_sp, from_fp);
	index->ranges[1] = range((uintptr_t)by_sp, (uintptr_t)by_sp_end, from_sp);
	index->ranges[2] = range((uintptr_t)by_sp_end, (uintptr_t)text_end, from_fp);
	index->ranges[3] = range(thread_start - 4096, thread_start + 4096, rule((struct rule){.cfa = CFA_FROM_SP,
		.ra = RA_UNDEFINED}));
	cgoheap_publish(at);
}

static void start(uint64_t sample_bytes, uintptr_t thread_start)
{
	struct options o = {.table_bytes = 64 << 20, .sample_bytes = sample_bytes, .seed = 1, .max_depth = 64};
	if (cgoheap_prepare(&o) != 0)
		exit(2);
	publish(thread_start);
	cgoheap_start();
}

#define STAY __asm__ volatile("")

static void pair(void)
{
	hook_free(hook_malloc(100));
	STAY;
}

static void walk_once(void)
{
	uintptr_t pcs[64];
	if (cgoheap_walk(pcs, 64) < 16)
		exit(3);
}

static void (*bottom)(void);

#define LEVEL(n, below)                                                                                                \
	__attribute__((noinline)) static void level##n(void)                                                           \
	{                                                                                                              \
		below();                                                                                               \
		STAY;                                                                                                  \
	}
LEVEL(1, bottom) LEVEL(2, level1) LEVEL(3, level2) LEVEL(4, level3) LEVEL(5, level4) LEVEL(6, level5)
LEVEL(7, level6) LEVEL(8, level7) LEVEL(9, level8) LEVEL(10, level9) LEVEL(11, level10) LEVEL(12, level11)

static long iterations;

static void loop(void)
{
	for (long i = 0; i < iterations; i++)
		pair();
}

__attribute__((used)) static void loop_walks(void)
{
	for (long i = 0; i < iterations; i++)
		walk_once();
}

enum { TURNS = 10 };

static void left(long turns, int more);
static void right(long turns, int more);

// Two functions with different frames, so that the compiler does not merge them.
#define TURN(side, bytes)                                                                                              \
	__attribute__((noinline)) static void side(long turns, int more)                                               \
	{                                                                                                              \
		char room[bytes];                                                                                      \
		__asm__ volatile("" : : "r"(room));                                                                    \
		if (more == 0)                                                                                         \
			pair();                                                                                        \
		else if (turns & 1)                                                                                    \
			right(turns >> 1, more - 1);                                                                   \
		else                                                                                                   \
			left(turns >> 1, more - 1);                                                                    \
		STAY;                                                                                                  \
	}
TURN(left, 16)
TURN(right, 64)

static void loop_tight(void)
{
	bottom = loop;
	level12();
}

static void loop_climbing(void)
{
	bottom = pair;
	for (long i = 0; i < iterations; i++)
		level12();
}

// 2^TURNS stacks in turn.
static void loop_turning(void)
{
	for (long i = 0; i < iterations; i++)
		left(i * 2654435761, TURNS);
}

static void loop_walking(void)
{
	bottom = loop_walks;
	level12();
}

static void loop_walking_by_sp(void)
{
	by_sp();
	STAY;
}

static void loop_calloc(void)
{
	for (long i = 0; i < iterations; i++) {
		hook_free(hook_calloc(10, 10));
		STAY;
	}
}

static void loop_realloc(void)
{
	void *p = hook_malloc(100);
	for (long i = 0; i < iterations; i++)
		p = hook_realloc(p, 100);
	hook_free(p);
}

// As many mappings of a device's memory as there are iterations, unmapped one by one: what one takes must not depend on how many there are.
static void loop_unmapping(void)
{
	struct registers caller = CALLER_REGISTERS();
	const uint64_t size = 2 << 20;
	for (uint64_t i = 1; i <= (uint64_t)iterations; i++) {
		struct device_taking taking;
		uint64_t handle = device_key(DEVICE_HANDLE, i);
		device_hold(handle);
		device_give(&caller, &(struct device_block){handle, size, DEVICE_MEMORY, 1, 0});
		device_map(handle, i * size, size);
		device_release(handle, &taking);
		device_released(handle, &taking, false);
	}
	for (uint64_t i = 1; i <= (uint64_t)iterations; i++)
		device_unmapped(i * size, size, device_unmap(i * size, size), false);
}

#define NEVER (1ULL << 40)

static const struct path {
	const char *name;
	uint64_t sample_bytes;
	void (*run)(void);
} paths[] = {
	{"stopped", 0, loop_tight},
	{"not-sampled", NEVER, loop_tight},
	{"sampled", 1, loop_tight},
	{"sampled-climbing", 1, loop_climbing},
	{"sampled-many-stacks", 1, loop_turning},
	{"walk", NEVER, loop_walking},
	{"walk-by-sp", NEVER, loop_walking_by_sp},
	{"calloc-not-sampled", NEVER, loop_calloc},
	{"realloc-sampled", 1, loop_realloc},
	{"device-unmap", NEVER, loop_unmapping},
};

static void *run_path(void *argument)
{
	const struct path *path = argument;
	if (path->sample_bytes != 0)
		start(path->sample_bytes, (uintptr_t)__builtin_return_address(0));
	path->run();
	if (cgoheap_region != NULL && cgoheap_counted(COUNT_END + END_ROOT) != cgoheap_counted(COUNT_SAMPLES))
		exit(4);
	if (path->run == loop_turning && cgoheap_counted(COUNT_STACKS) != 1 << TURNS)
		exit(5);
	return NULL;
}

int main(int argc, char **argv)
{
	for (int i = 0; i < 64; i++)
		hot_free(blocks[i]);
	iterations = argc == 3 ? atol(argv[2]) : 0;
	for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
		pthread_t thread;
		if (argc == 3 && strcmp(paths[i].name, argv[1]) == 0)
			return pthread_create(&thread, NULL, run_path, (void *)&paths[i]) != 0 || pthread_join(thread, NULL) != 0;
	}
	fprintf(stderr, "hot PATH ITERATIONS\n");
	return 2;
}
