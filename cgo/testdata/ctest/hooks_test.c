// The hooks under other names, in front of the allocator that a sanitizer watches: every function of the family returns
// what glibc's returns, and at an interval of 1 the counts are exact.
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/resource.h>

#include "totals.h"

#undef malloc
#undef free

void *hook_malloc(size_t size);
void *hook_calloc(size_t count, size_t size);
void *hook_realloc(void *p, size_t size);
void *hook_reallocarray(void *p, size_t count, size_t size);
void *hook_memalign(size_t alignment, size_t size);
void *hook_aligned_alloc(size_t alignment, size_t size);
int hook_posix_memalign(void **to, size_t alignment, size_t size);
void *hook_valloc(size_t size);
void *hook_pvalloc(size_t size);
void hook_free(void *p);
void hook_cfree(void *p);
void hook_free_sized(void *p, size_t size);
void hook_free_aligned_sized(void *p, size_t alignment, size_t size);

static void family(void)
{
	void *p[12];
	start(1);
	p[0] = hook_malloc(10);
	p[1] = hook_calloc(3, 7);
	p[2] = hook_realloc(NULL, 5);
	p[3] = hook_reallocarray(NULL, 6, 9);
	p[4] = hook_memalign(64, 100);
	p[5] = hook_aligned_alloc(32, 64);
	check(hook_posix_memalign(&p[6], 128, 33) == 0);
	p[7] = hook_valloc(12);
	p[8] = hook_pvalloc(13);
	p[9] = hook_malloc(0);
	expect(10, 10 + 21 + 5 + 54 + 100 + 64 + 33 + 12 + 4096, 10, 10 + 21 + 5 + 54 + 100 + 64 + 33 + 12 + 4096);
	for (int i = 0; i < 21; i++)
		check(((char *)p[1])[i] == 0);
	check((uintptr_t)p[4] % 64 == 0 && (uintptr_t)p[6] % 128 == 0 && (uintptr_t)p[7] % 4096 == 0);
	for (int i = 0; i < 8; i++)
		hook_free(p[i]);
	hook_cfree(p[8]);
	hook_free_sized(p[9], 0);
	hook_free(NULL);
	expect(10, 4395, 0, 0);
	p[0] = hook_aligned_alloc(32, 64);
	hook_free_aligned_sized(p[0], 32, 64);
	expect(11, 4459, 0, 0);
	check(cgoheap_stop());
}

static void resizes(void)
{
	start(1);
	char *p = hook_malloc(100);
	memset(p, 7, 100);
	p = hook_realloc(p, 300000);
	expect(2, 300100, 1, 300000);
	check(p[0] == 7 && p[99] == 7);
	p = hook_realloc(p, 50);
	expect(3, 300150, 1, 50);
	errno = 0;
	check(hook_realloc(p, SIZE_MAX / 2) == NULL && errno == ENOMEM);
	expect(3, 300150, 1, 50);
	check(hook_reallocarray(p, SIZE_MAX, 16) == NULL && errno == ENOMEM);
	check(hook_calloc(SIZE_MAX, 16) == NULL && hook_malloc(SIZE_MAX) == NULL);
	expect(3, 300150, 1, 50);
	check(hook_realloc(p, 0) == NULL);
	expect(3, 300150, 0, 0);
	check(cgoheap_stop());
}

static void bad_alignment(void)
{
	void *p = &p;
	start(1);
	errno = 5;
	check(hook_posix_memalign(&p, 3, 8) == EINVAL && hook_posix_memalign(&p, 4, 8) == EINVAL);
	check(hook_posix_memalign(&p, 24, 8) == EINVAL && hook_posix_memalign(&p, 0, 8) == EINVAL);
	check(errno == 5);
	check(hook_posix_memalign(&p, 64, SIZE_MAX / 2) == ENOMEM);
	check(p == &p);
	check(cgoheap_stop());
}

// Calls with the stack pointer 8 off, as assembly does that nobody has told of the 16 bytes.
static __attribute__((noinline)) void *call_off(uintptr_t (*function)(uintptr_t, uintptr_t, uintptr_t), uintptr_t a, uintptr_t b, uintptr_t c)
{
#ifdef __x86_64__
	uintptr_t result = (uintptr_t)function;
	__asm__ volatile("mov %%rsp, %%rbx\n"
			 "	and $-16, %%rsp\n"
			 "	sub $136, %%rsp\n"
			 "	call *%%rax\n"
			 "	mov %%rbx, %%rsp"
			 : "+a"(result), "+D"(a), "+S"(b), "+d"(c)
			 :
			 : "rbx", "rcx", "r8", "r9", "r10", "r11", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8",
			   "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "cc", "memory");
	return (void *)result;
#else
	return (void *)function(a, b, c); // the processor sees to it
#endif
}

#define CALL_OFF(name, a, b, c) call_off((uintptr_t(*)(uintptr_t, uintptr_t, uintptr_t))(void *)hook_##name, (uintptr_t)(a), (uintptr_t)(b), (uintptr_t)(c))

static void stack_is_off(void)
{
	start(1);
	void *p[7] = {CALL_OFF(malloc, 10, 0, 0), CALL_OFF(calloc, 2, 10, 0), CALL_OFF(memalign, 64, 30, 0), CALL_OFF(aligned_alloc, 64, 64, 0),
		      NULL, CALL_OFF(valloc, 50, 0, 0), CALL_OFF(reallocarray, NULL, 6, 10)};
	check(CALL_OFF(posix_memalign, &p[4], 64, 40) == NULL);
	p[0] = CALL_OFF(realloc, p[0], 11, 0);
	expect(8, 10 + 20 + 30 + 64 + 40 + 50 + 60 + 11, 7, 20 + 30 + 64 + 40 + 50 + 60 + 11);
	for (int i = 0; i < 7; i++)
		CALL_OFF(free, p[i], 0, 0);
	expect(8, 285, 0, 0);
	check(cgoheap_stop());
}

static void around_the_recording(void)
{
	void *before = hook_malloc(10);
	start(1);
	hook_free(before);
	expect(0, 0, 0, 0);
	void *during = hook_malloc(20);
	check(cgoheap_stop());
	hook_free(during);
	start(1);
	expect(0, 0, 0, 0);
	check(cgoheap_stop());
}

static void *churn(void *seed)
{
	uint64_t random = (uintptr_t)seed;
	void *held[64] = {0};
	for (int i = 0; i < 40000 / SCALE; i++) {
		random = random * 6364136223846793005ULL + 1442695040888963407ULL;
		void **p = &held[random >> 58];
		size_t size = (random >> 40) % 2000;
		if ((random >> 20) % 3 == 0 && *p != NULL) {
			*p = hook_realloc(*p, size + 1);
			continue;
		}
		hook_free(*p);
		*p = hook_malloc(size);
	}
	for (int i = 0; i < 64; i++)
		hook_free(held[i]);
	return NULL;
}

static void churn_at(uint64_t sample_bytes)
{
	pthread_t t[4];
	start(sample_bytes);
	for (uintptr_t i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, churn, (void *)(i + 1));
	struct totals now = totals();
	check(now.live <= now.allocs);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	now = totals();
	check(now.allocs > 0 && now.live == 0 && now.live_bytes == 0);
	check(cgoheap_stop());
}

static void returns_to_zero(void)
{
	churn_at(1);
	churn_at(1000);
	churn_at(65536);
}

static void stop_under_load(void)
{
	pthread_t t[4];
	for (uintptr_t i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, churn, (void *)(i + 1));
	for (int i = 0; i < 200; i++) {
		start(i % 2 ? 1 : 4096);
		check(gate_settle());
		check(cgoheap_stop());
	}
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
}

static uint64_t frees;
static bool done;

// free reads the region without entering the gate.
static void *only_frees(void *none)
{
	while (!__atomic_load_n(&done, __ATOMIC_RELAXED)) {
		hook_free(none);
		__atomic_fetch_add(&frees, 1, __ATOMIC_RELAXED);
	}
	return none;
}

static void wait_for_frees(uint64_t n)
{
	uint64_t before = __atomic_load_n(&frees, __ATOMIC_RELAXED);
	while (__atomic_load_n(&frees, __ATOMIC_RELAXED) - before < n)
		sched_yield();
}

static void first_recording(void)
{
	pthread_t t;
	check(cgoheap_region == NULL);
	pthread_create(&t, NULL, only_frees, NULL);
	wait_for_frees(1);
	start(1);
	wait_for_frees(1000);
	__atomic_store_n(&done, true, __ATOMIC_RELAXED);
	pthread_join(t, NULL);
	check(cgoheap_stop());
}

// Events that happen while the gate cannot be entered, of each kind that needs it, are lost and counted.
static void gate_is_full(void)
{
	struct pass passes[GATE_SLOTS];
	start(1);
	void *freed = hook_malloc(100), *moved = hook_malloc(200);
	for (int i = 0; i < GATE_SLOTS; i++)
		check(gate_enter(&passes[i], cgoheap_generation));
	void *unseen = hook_malloc(10);
	hook_free(freed);
	moved = hook_realloc(moved, 300);
	check(unseen != NULL && moved != NULL);
	for (int i = 0; i < GATE_SLOTS; i++)
		gate_leave(passes[i]);
	expect(2, 300, 2, 300);
	check(cgoheap_counted(COUNT_LOST_GATE) == 4); // a realloc is a free and an allocation
	check(cgoheap_counted(COUNT_FREES_LOST) == 2 && cgoheap_counted(COUNT_FREED_IN_USE) == 2);
	hook_free(unseen);
	hook_free(moved);
	check(cgoheap_counted(COUNT_UNSEEN) == 0);
	check(cgoheap_stop());
}

static int enter_many(struct pass *passes, int most)
{
	int n = 0;
	while (n < most && gate_enter(&passes[n], cgoheap_generation))
		n++;
	return n;
}

// Before slots beyond the homes are ever taken.
static void little_data(void)
{
	static struct pass passes[3 * GATE_HOMES];
	struct rlimit before, now;
	start(1);
	check(getrlimit(RLIMIT_DATA, &before) == 0);
	now = (struct rlimit){status_bytes("VmData") + (64 << 10), before.rlim_max};
	check(setrlimit(RLIMIT_DATA, &now) == 0);
	int n = enter_many(passes, 2 * GATE_HOMES);
	bool counted = cgoheap_counted(COUNT_LOST_GATE) == 1;
	check(setrlimit(RLIMIT_DATA, &before) == 0);
	check(n == GATE_HOMES && counted);
	n += enter_many(passes + n, 2 * GATE_HOMES);
	check(n == 3 * GATE_HOMES);
	while (n > 0)
		gate_leave(passes[--n]);
	check(cgoheap_stop());
}

int main(void)
{
	run("a thread that only frees finds the region of the first recording", first_recording);
#if defined EMULATED || defined VALGRIND // which ignore the limit
	(void)little_data;
#else
	run("slots that nobody takes count against no limit, and a limit costs only what lies beyond the homes", little_data);
#endif
	run("every function of the family is counted once, with its size", family);
	run("realloc is a free and an allocation, or nothing when it fails", resizes);
	run("posix_memalign refuses what it must and keeps errno", bad_alignment);
	run("a call with a misaligned stack is recorded as any other", stack_is_off);
	run("blocks from before and after a recording do not count", around_the_recording);
	run("in-use returns to zero at any interval", returns_to_zero);
	run("what happens while the gate is full is counted as lost", gate_is_full);
	run("recordings may start and stop under load", stop_under_load);
}
