// Snapshots cut time in two: threads move one block at a time between sites, so that any moment shows the same total.
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "../../gate.h"
#include "../../layout.h"
#include "../../sites.h"
#include "../../stacks.h"
#include "../../thread.h"
#include "check.h"
#include "sums.h"

#define THREADS 4
#define SITES 64
#define TOTAL 1000

static struct site *sites[SITES];
static int stop;

static const struct weight one = {{1 << 16, 100 << 4}};

static void *mover(void *number)
{
	uint64_t random = (uintptr_t)number;
	cgoheap_thread.number = (uint32_t)(uintptr_t)number;
	int at = 0;
	struct pass pass;
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		random = random * 6364136223846793005ULL + 1442695040888963407ULL;
		int to = (int)(random >> 33) % SITES;
		check(gate_enter(&pass, cgoheap_generation));
		site_free(sites[at], pass.parity, random % (1u << 20), one);
		site_add(sites[to], pass.parity, one);
		gate_leave(pass);
		at = to;
	}
	return NULL;
}

static void begin(void)
{
	if (cgoheap_region != NULL)
		region_close();
	check(layout_open(NULL, 16 << 20, 1) == 0);
	gate_open();
	for (uint64_t i = 0; i < SITES; i++)
		sites[i] = region_ref(site_intern(stack_intern(&i, 1, stack_root(0)), i, 0, 0));
	struct pass pass;
	check(gate_enter(&pass, cgoheap_generation));
	for (int i = 0; i < TOTAL; i++)
		site_add(sites[0], pass.parity, one);
	gate_leave(pass);
}

static uint64_t in_use(void)
{
	uint64_t sum = 0;
	for (int i = 0; i < SITES; i++)
		sum += sums_of(sites[i]).in_use.of[OBJECTS];
	return sum;
}

static void snapshots(void)
{
	pthread_t t[THREADS];
	begin();
	stop = 0;
	for (uintptr_t i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, mover, (void *)(i + 1));
	for (int i = 0; i < 2000 / SCALE; i++) {
		check(gate_settle() && cgoheap_region->settles == 2 * ((uint64_t)i + 1));
		check(in_use() == (uint64_t)TOTAL << 16);
	}
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	check(gate_close());
}

// A recorder that is held inside makes a settle give up; later settles must not take that old cut for their own.
static void late(void)
{
	struct pass held, pass;
	begin();
	check(gate_settle() && in_use() == (uint64_t)TOTAL << 16);
	check(gate_enter(&held, cgoheap_generation));
	uint64_t clock = cgoheap_region->settled_clock;
	check(clock >= cgoheap_region->clock && !gate_settle());
	check(cgoheap_region->settles == 2 && cgoheap_region->settled_clock == clock);
	check(cgoheap_counted(COUNT_UNSETTLED) == 1);
	check(gate_enter(&pass, cgoheap_generation));
	site_add(sites[1], pass.parity, one);
	gate_leave(pass);
	site_add(sites[2], held.parity, one);
	gate_leave(held);
	check(gate_settle() && in_use() == (uint64_t)(TOTAL + 2) << 16);
	check(cgoheap_region->settles == 6 && cgoheap_region->settled_clock > clock); // the old cut, and its own
	check(gate_close());
}

// A thread that has read the epoch and not yet taken its slot is in no slot that the reader waits for. So here the
// reader moves on at exactly that moment: in the fault handler of the write to the slot, which lies in memory that
// cannot be written.
#if !defined(__SANITIZE_THREAD__) // it holds a lock of its own there
static bool settled_between;

static void protect(int protection)
{
	uintptr_t size = (uintptr_t)sysconf(_SC_PAGESIZE), page = (uintptr_t)cgoheap_inside & ~(size - 1);
	check(mprotect((void *)page, size, protection) == 0);
}

static void settle_between(int signal)
{
	(void)signal;
	protect(PROT_READ | PROT_WRITE);
	settled_between = gate_settle();
}

static void between(void)
{
	struct pass pass;
	begin();
	cgoheap_thread.number = 0;
	check(signal(SIGSEGV, settle_between) != SIG_ERR);
	protect(PROT_READ);
	check(gate_enter(&pass, cgoheap_generation) && settled_between);
	signal(SIGSEGV, SIG_DFL);
	site_add(sites[1], pass.parity, one);
	gate_leave(pass);
	check(sites[1]->flow[OBJECTS].allocated.running[pass.parity ^ 1] == 0);
	check(in_use() == (uint64_t)TOTAL << 16);
	check(gate_settle() && in_use() == (uint64_t)(TOTAL + 1) << 16);
	check(gate_close());
}
#endif

// All slots are taken, as if by threads that do not get a processor.
static void crammed(void)
{
	struct pass passes[GATE_SLOTS], none;
	begin();
	for (int i = 0; i < GATE_SLOTS; i++)
		check(gate_enter(&passes[i], cgoheap_generation));
	errno = 7;
	for (uint64_t lost = 1; lost <= 10000 / SCALE; lost++)
		check(!gate_enter(&none, cgoheap_generation) && cgoheap_counted(COUNT_LOST_GATE) == lost);
	check(errno == 7);
	check(!gate_enter(&none, cgoheap_generation + 1) && cgoheap_counted(COUNT_LOST_GATE) == 10000 / SCALE);
	gate_leave(passes[11]);
	uint32_t left = passes[11].slot;
	check(gate_enter(&passes[11], cgoheap_generation) && passes[11].slot == left);
	check(!gate_settle());
	check(!gate_close());
	for (int i = 0; i < GATE_SLOTS; i++)
		gate_leave(passes[i]);
	check(gate_close());
}

// As many threads as a busy process has are stopped inside, and one more comes.
static void crowd(void)
{
	static struct pass passes[1000];
	static char taken[GATE_SLOTS];
	struct pass pass;
	begin();
	cgoheap_thread.number = 70;
	check(gate_enter(&pass, cgoheap_generation) && pass.slot == 70 % GATE_HOMES);
	gate_leave(pass);
	for (int i = 0; i < 1000; i++) {
		check(gate_enter(&passes[i], cgoheap_generation) && gate_crowd() == (uint32_t)i + 1);
		check(!taken[passes[i].slot]++);
		site_add(sites[1], passes[i].parity, one);
	}
	for (int i = 0; i < 1000; i++)
		gate_leave(passes[i]);
	check(cgoheap_counted(COUNT_LOST_GATE) == 0 && gate_crowd() == 0);
	check(gate_settle() && in_use() == (uint64_t)(TOTAL + 1000) << 16);
	check(gate_close());
}

// The reader also waits for a recorder in a slot that none had tried before.
static void beyond_homes(void)
{
	struct pass passes[GATE_HOMES], late;
	begin();
	for (int i = 0; i < GATE_HOMES; i++)
		check(gate_enter(&passes[i], cgoheap_generation));
	int beyond = 0;
	for (int i = 0; i < GATE_HOMES; i++)
		beyond += passes[i].slot >= GATE_HOMES;
	check(beyond > 0 && gate_enter(&late, cgoheap_generation) && late.slot >= GATE_HOMES);
	for (int i = 0; i < GATE_HOMES; i++)
		gate_leave(passes[i]);
	check(!gate_settle());
	gate_leave(late);
	check(gate_settle() && gate_close());
}

static uint64_t nanoseconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static uint64_t enter_and_leave(int times)
{
	uint64_t before = nanoseconds();
	struct pass pass;
	for (int i = 0; i < times; i++) {
		check(gate_enter(&pass, cgoheap_generation));
		gate_leave(pass);
	}
	return nanoseconds() - before;
}

// Only a lower bound: how long a pause takes at most depends on the scheduler.
static void gives_way(void)
{
	begin();
	gate_give_way(60000000000, 4);
	check(enter_and_leave(40) >= 5 * GATE_PAUSE);
	check(gate_settle()); // the parities still alternate
	check(enter_and_leave(40) >= 5 * GATE_PAUSE);
	gate_give_way(0, 1);
	uint32_t asked = cgoheap_thread.passed;
	enter_and_leave(40);
	check(cgoheap_thread.passed == asked);
	gate_give_way(1, 4);
	const struct timespec while_ago = {.tv_nsec = 50000000};
	nanosleep(&while_ago, NULL);
	enter_and_leave(40); // the first event whose turn it is ends the time
	check(cgoheap_thread.passed - asked <= 4);
	check(gate_close());
}

static void *leave_soon(void *pass)
{
	const struct timespec soon = {.tv_nsec = 200000};
	nanosleep(&soon, NULL);
	gate_leave(*(struct pass *)pass);
	return NULL;
}

// Of the threads that wait for the one slot that becomes free, some get it.
static void waited_for(void)
{
	struct pass passes[GATE_SLOTS];
	pthread_t t;
	begin();
	for (int i = 0; i < GATE_SLOTS; i++)
		check(gate_enter(&passes[i], cgoheap_generation));
	int found = 0;
	for (int i = 0; i < 100; i++) {
		check(pthread_create(&t, NULL, leave_soon, &passes[i % GATE_SLOTS]) == 0);
		struct pass again;
		bool entered = gate_enter(&again, cgoheap_generation);
		pthread_join(t, NULL);
		found += entered;
		check(entered || gate_enter(&again, cgoheap_generation));
		check(again.slot == passes[i % GATE_SLOTS].slot);
		passes[i % GATE_SLOTS] = again;
	}
	check(found > 0);
	for (int i = 0; i < GATE_SLOTS; i++)
		gate_leave(passes[i]);
	check(gate_close());
}

static void stopped(void)
{
	struct pass pass;
	begin();
	uint32_t generation = cgoheap_generation;
	check(gate_close());
	check(!gate_enter(&pass, generation));
	gate_open();
	check(cgoheap_generation != generation && !gate_enter(&pass, generation));
	check(gate_close());
}

static void *intern_all(void *refs)
{
	for (uint64_t i = 0; i < 20000; i++) {
		uint64_t frames[3] = {i, i * i, 5};
		((uint32_t *)refs)[i] = site_intern(stack_intern(frames, 3, stack_root(0)), i % 7, 0, 0);
	}
	return NULL;
}

static void interned_once(void)
{
	static uint32_t refs[THREADS][20000];
	pthread_t t[THREADS];
	region_close();
	check(layout_open(NULL, 16 << 20, 1) == 0);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, intern_all, refs[i]);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	for (int i = 0; i < 20000; i++)
		for (int k = 1; k < THREADS; k++)
			check(refs[k][i] == refs[0][i] && refs[0][i] != 0);
	check(cgoheap_counted(COUNT_STACKS) == 20000);
}

static void many_sizes(void)
{
	region_close();
	check(layout_open(NULL, 16 << 20, 1) == 0);
	uint64_t frame = 1;
	uint32_t stack = stack_intern(&frame, 1, stack_root(0)), mixed = 0;
	for (uint64_t size = 0; size < 100000 / SCALE; size++) {
		uint32_t site = site_intern(stack, size, 0, 0);
		check(site != 0);
		if (((struct site *)region_ref(site))->size != SITE_MIXED)
			continue;
		check(mixed == 0 || mixed == site);
		mixed = site;
	}
	check(mixed != 0 && site_intern(stack, 3, 0, 0) != mixed);
}

static void full(void)
{
	region_close();
	check(layout_open(NULL, 8 << 20, 1) == 0);
	uint64_t frames[64] = {0};
	while (stack_intern(frames, 64, stack_root(0)) != 0)
		frames[0]++;
	check(frames[0] > 1000);
	frames[0] = 1;
	check(stack_intern(frames, 64, stack_root(0)) != 0); // known stacks are still found
}

int main(void)
{
	run("every snapshot is one moment", snapshots);
	run("a settle after one that gave up shows its own moment", late);
#if !defined(__SANITIZE_THREAD__)
	run("who enters while the epoch changes belongs to the next one", between);
#endif
	run("a recorder that finds all slots taken goes on unrecorded, and is counted", crammed);
	run("a thousand threads that are stopped inside keep nobody out", crowd);
	run("the reader waits for those beyond the homes too", beyond_homes);
	run("recorders give way while they are asked to, and no longer than that", gives_way);
	run("a recorder that finds all slots taken waits for one", waited_for);
	run("nobody enters after the stop, nor with the pass of an earlier recording", stopped);
	run("threads that intern the same get the same", interned_once);
	run("a stack of too many sizes keeps the rest together", many_sizes);
	run("a full region refuses new stacks and finds old ones", full);
}
