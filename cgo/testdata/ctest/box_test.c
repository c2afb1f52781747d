// A region in a file: what it has is in the file, and in this process alone; and a file that has no room, or that somebody makes
// shorter, ends no thread.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../box.h"
#include "../../family.h"
#include "../../shield.h"
#include "boxes.h"

void *hook_malloc(size_t size);
void hook_free(void *p);

static struct header in_file(void)
{
	struct header h;
	check(pread(file, &h, sizeof h, 0) == sizeof h);
	return h;
}

static void is_in_file(void)
{
	start_in_file(1);
	void *p = hook_malloc(100);
	struct header h = in_file();
	check(h.magic == REGION_MAGIC && h.pid == (uint32_t)getpid() && h.used == cgoheap_region->used);
	check(h.counters[COUNT_STACKS] == cgoheap_region->counters[COUNT_STACKS] && h.counters[COUNT_STACKS] == 1);
	expect(1, 100, 1, 100);
	hook_free(p);
	expect(1, 100, 0, 0);
	check(cgoheap_stop());
	check(box_state() == BOX_NONE && cgoheap_file_size == 0);
}

// Then memory takes the place of a part of the file only, and what the program reads or writes next must not fault.
static void is_left_near_a_limit(void)
{
	struct rlimit before, now;
	start_in_file(1);
	hook_free(hook_malloc(100));
	check(getrlimit(RLIMIT_DATA, &before) == 0);
	now = (struct rlimit){status_bytes("VmData"), before.rlim_max};
	check(setrlimit(RLIMIT_DATA, &now) == 0);
	bool stopped = cgoheap_stop();
	check(setrlimit(RLIMIT_DATA, &before) == 0);
	check(stopped);
	hook_free(hook_malloc(100));
}

// The memory, after a stop, is not the file's.
static void is_left(void)
{
	for (int i = 0; i < 3; i++) {
		start_in_file(1);
		hook_free(hook_malloc(100));
		check(cgoheap_stop());
		struct header h = in_file();
		check(h.magic == REGION_MAGIC); // for whoever removes it
		check(cgoheap_region->magic == 0);
		start(1);
		check(cgoheap_file_size == 0 && box_state() == BOX_NONE);
		hook_free(hook_malloc(100));
		expect(1, 100, 0, 0);
		check(in_file().counters[COUNT_FREES] == h.counters[COUNT_FREES]);
		check(cgoheap_stop());
	}
}

static void *churn(void *seed)
{
	uint64_t random = (uintptr_t)seed;
	void *held[64] = {0};
	for (int i = 0; i < 40000 / SCALE; i++) {
		random = random * 6364136223846793005ULL + 1442695040888963407ULL;
		void **p = &held[random >> 58];
		hook_free(*p);
		*p = hook_malloc((random >> 40) % 2000);
	}
	for (int i = 0; i < 64; i++)
		hook_free(held[i]);
	return NULL;
}

static uint64_t sum_of_file(void)
{
	static uint64_t part[PAGE / 8];
	uint64_t sum = 0;
	for (off_t at = 0; at < SIZE; at += PAGE) {
		off_t data = lseek(file, at, SEEK_DATA);
		if (data < 0)
			break;
		at = data / PAGE * PAGE;
		check(pread(file, part, PAGE, at) == PAGE);
		for (int i = 0; i < PAGE / 8; i++)
			if (part[i] != 0) // reading a hole makes a page of zeroes of it, also in a copy
				sum = (sum + part[i]) * 6364136223846793005ULL + (uint64_t)at;
	}
	return sum;
}

static void child_churns(pid_t child)
{
	if (child == 0) {
		churn((void *)7);
		_exit(region_here() ? 1 : 0);
	}
	int status;
	check(child > 0 && waitpid(child, &status, 0) == child && status == 0);
}

static void stays_out(void)
{
	start_in_file(1);
	churn((void *)1);
	uint64_t before = sum_of_file();
	child_churns(fork());
	check(sum_of_file() == before);
#if defined(__x86_64__) // the order of the arguments differs elsewhere
	child_churns((pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
	check(sum_of_file() == before);
#endif
	expect(totals().allocs, totals().alloc_bytes, 0, 0);
	check(cgoheap_stop());
}

// A handler of the program's may fork while it interrupts a hook, which then goes on in the child.
static void forks_inside(void)
{
	struct pass pass;
	start_in_file(1);
	check(record_join() && gate_enter(&pass, cgoheap_generation));
	uint64_t before = sum_of_file();
	pid_t child = fork();
	if (child == 0) {
		cgoheap_region->used = 1;
		*(uint64_t *)region_at(cgoheap_region->lasts) = 1;
		_exit(0);
	}
	int status;
	check(child > 0 && waitpid(child, &status, 0) == child && status == 0);
	check(sum_of_file() == before);
	gate_leave(pass);
	check(cgoheap_stop());
}

static void *blocked_churn(void *seed)
{
	sigset_t all;
	sigfillset(&all);
	check(pthread_sigmask(SIG_SETMASK, &all, NULL) == 0);
	churn(seed);
	check(pthread_sigmask(SIG_SETMASK, NULL, &all) == 0 && sigismember(&all, SIGBUS) == 1);
	return NULL;
}

static void under_load(void (*spoil)(void))
{
	pthread_t t[4];
	for (uintptr_t i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, i % 2 ? churn : blocked_churn, (void *)(i + 1));
	spoil();
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
}

static void make_shorter(void)
{
	usleep(rand() % 3000);
	check(ftruncate(file, rand() % 4 == 0 ? 0 : rand() % SIZE) == 0);
}

// What had been written is gone: nothing is recorded any more.
static void is_shorter(void)
{
	for (int i = 0; i < 200 / SCALE + 1; i++) {
		start_in_file(i % 2 ? 1 : 4096);
		under_load(make_shorter);
		check(ftruncate(file, 0) == 0);
		check(cgoheap_region->heads != 0);
		check(box_state() == BOX_LOST && cgoheap_generation == 0);
		check(cgoheap_stop());
		start(1);
		expect(0, 0, 0, 0);
		hook_free(hook_malloc(100));
		expect(1, 100, 0, 0);
		check(cgoheap_stop());
	}
}

// As if the volume were full: pages of another file, which is too short, lie where this one has a hole.
static void fill_volume(void)
{
	int empty = memfd_create("empty", 0);
	uint64_t at = (REGION_FILTER + REGION_FILTER_SLOTS + (8 << 20)) / PAGE * PAGE, last = SIZE - PAGE; // which is there
	check(empty >= 0 && lseek(file, (off_t)at, SEEK_DATA) == (off_t)last);
	check(mmap(region_at(at), last - at, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, empty, 0) != MAP_FAILED);
	close(empty);
}

static void nothing(void) {}

static enum box_state filled(void)
{
	start_in_file(1);
	cgoheap_region->used = REGION_FILTER + REGION_FILTER_SLOTS + (8 << 20) - 4096; // the next records will lie behind
	fill_volume();
	under_load(nothing);
	enum box_state state = box_state();
	if (state == BOX_FULL) {
		check(in_file().missing > 0 && in_file().missing == cgoheap_region->missing);
		struct totals now = totals();
		check(now.allocs == 4 * (40000 / SCALE) && now.live == 0);
	}
	check(cgoheap_stop());
	return state;
}

// Where the thread that puts memory in the place of a page loses its processor meanwhile, the others may wait for it in vain.
static void is_full(void)
{
	enum box_state state;
	until (state != BOX_LOST, state = filled());
	check(state == BOX_FULL);
}

// As if the thread that puts memory in the place of pages never ran again: it is stopped, or others have its processor.
static __attribute__((unused)) void waits_for_nobody(void)
{
	start_in_file(1);
	cgoheap_region->used = REGION_FILTER + REGION_FILTER_SLOTS + (8 << 20) - 4096;
	fill_volume();
	cgoheap_box_busy = 1;
	under_load(nothing);
	check(box_state() == BOX_LOST && cgoheap_generation == 0);
	cgoheap_box_busy = 0;
	check(cgoheap_stop());
}

static volatile int passed;
static void *volatile where;

static void note(int signal, siginfo_t *info, void *context)
{
	(void)context;
	passed += signal == SIGBUS;
	where = info->si_addr;
	check(mprotect(where, PAGE, PROT_READ | PROT_WRITE) == 0 || 1);
	void *at = mmap(where, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	check(at == where);
}

static void simple(int signal)
{
	passed += signal == SIGBUS;
}

static void others_have_theirs(void)
{
	struct sigaction theirs = {.sa_sigaction = note, .sa_flags = SA_SIGINFO}, now;
	check(sigaction(SIGBUS, &theirs, NULL) == 0);
	start_in_file(1);
	char *bad = bad_page();
	passed = 0;
	*(volatile char *)bad = 1;
	check(passed == 1 && where == bad);
	check(cgoheap_stop());
	check(sigaction(SIGBUS, NULL, &now) == 0 && now.sa_sigaction == note);

	theirs = (struct sigaction){.sa_handler = simple};
	check(sigaction(SIGBUS, &theirs, NULL) == 0);
	start_in_file(1);
	passed = 0;
	check(raise(SIGBUS) == 0 && passed == 1);
	check(cgoheap_stop());

	theirs.sa_handler = SIG_IGN;
	check(sigaction(SIGBUS, &theirs, NULL) == 0);
	start_in_file(1);
	check(raise(SIGBUS) == 0);
	check(cgoheap_stop());
	theirs.sa_handler = SIG_DFL;
	check(sigaction(SIGBUS, &theirs, NULL) == 0);
}

static void dies_of(void (*what)(void), void (*handler)(int))
{
	pid_t child = fork();
	if (child == 0) {
		signal(SIGBUS, handler);
		start_in_file(1);
		remove_file();
		what();
		_exit(0);
	}
	int status;
	check(child > 0 && waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS);
}

static void touch_bad_page(void)
{
	*(volatile char *)bad_page() = 1;
}

static void is_raised(void)
{
	raise(SIGBUS);
}

static void others_die(void)
{
#ifdef EMULATED // a SIGBUS that tells of a fault, as the handler sends it, is a fault of the emulator's own to it
	(void)touch_bad_page;
#else
	dies_of(touch_bad_page, SIG_DFL);
	dies_of(touch_bad_page, SIG_IGN);
#endif
	dies_of(is_raised, SIG_DFL);
}

// Another handler that came later stays, and may call ours.
static void is_covered(void)
{
	struct sigaction theirs = {.sa_sigaction = note, .sa_flags = SA_SIGINFO}, ours;
	start_in_file(1);
	check(sigaction(SIGBUS, &theirs, &ours) == 0);
	check(cgoheap_stop());
	check(sigaction(SIGBUS, NULL, &theirs) == 0 && theirs.sa_sigaction == note);
	start_in_file(1);
	check(sigaction(SIGBUS, &ours, NULL) == 0);
	check(ftruncate(file, 0) == 0);
	hook_free(hook_malloc(100));
	check(box_state() == BOX_LOST);
	check(cgoheap_stop());
	check(sigaction(SIGBUS, NULL, &theirs) == 0 && theirs.sa_handler == SIG_DFL);
}

// A region in a segment, and the segment as whoever has made it sees it.
static char *seen;

static void start_in_segment(void)
{
	int number = shmget(IPC_PRIVATE, SIZE, IPC_CREAT | 0600);
	check(number >= 0);
	void *pages = shmat(number, NULL, 0);
	seen = shmat(number, NULL, 0);
	check(pages != (void *)-1 && seen != (void *)-1 && shmctl(number, IPC_RMID, NULL) == 0);
	struct options o = {.file = {.pages = (uintptr_t)pages}, .table_bytes = SIZE, .sample_bytes = 1, .seed = 1, .max_depth = 64};
	check(cgoheap_prepare(&o) == 0);
	cgoheap_start();
	check(!shield_needed() && box_state() == BOX_NONE && cgoheap_file_size == SIZE);
}

static void stop_in_segment(void)
{
	check(cgoheap_stop() && cgoheap_file_size == 0);
	check(((struct header *)seen)->magic == REGION_MAGIC);
	shmdt(seen);
}

static uint64_t sum_of_segment(void)
{
	uint64_t sum = 0;
	for (uint64_t at = 0; at < SIZE; at += sizeof sum)
		sum = (sum + *(uint64_t *)(seen + at)) * 6364136223846793005ULL;
	return sum;
}

static void is_in_segment(void)
{
	start_in_segment();
	under_load(nothing);
	void *p = hook_malloc(100);
	const struct header *h = (struct header *)seen;
	check(h->pid == (uint32_t)getpid() && h->used == cgoheap_region->used && memcmp(h, cgoheap_region, sizeof *h) == 0);
	hook_free(p);
	expect(totals().allocs, totals().alloc_bytes, 0, 0);
	check(totals().allocs == 4 * (40000 / SCALE) + 1);
	stop_in_segment();
}

static void stays_out_of_segment(void)
{
	start_in_segment();
	churn((void *)1);
	uint64_t before = sum_of_segment();
	pid_t child = fork();
	if (child == 0 && cgoheap_file_size != 0)
		_exit(2); // it would keep the memory
	child_churns(child);
#if defined(__x86_64__)
	child_churns((pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
#endif
	check(sum_of_segment() == before);
	stop_in_segment();
}

static void child_stops_near_a_limit(uint64_t limit, bool must_leave)
{
	struct rlimit before;
	check(getrlimit(RLIMIT_AS, &before) == 0);
	const struct rlimit now = {limit, before.rlim_max};
	check(setrlimit(RLIMIT_AS, &now) == 0);
	pid_t child = fork();
	if (child == 0)
		_exit(cgoheap_stop() && (cgoheap_file_size == 0 || !must_leave) ? 0 : 1);
	int status;
	check(setrlimit(RLIMIT_AS, &before) == 0);
	check(child > 0 && waitpid(child, &status, 0) == child && status == 0);
}

// Without room for more addresses it leaves the segment too. Below a limit that is exceeded it cannot, but for an emulator, which heeds none.
static void clears_no_segment(void)
{
	start_in_segment();
	churn((void *)1);
	uint64_t sum = sum_of_segment();
	child_stops_near_a_limit(status_bytes("VmSize"), true);
	check(sum_of_segment() == sum);
	child_stops_near_a_limit(1, false);
	check(sum_of_segment() == sum);
	stop_in_segment();
}

// The hook goes on in the child with what it had.
static void forks_inside_segment(void)
{
	struct pass pass;
	start_in_segment();
	churn((void *)1);
	check(record_join() && gate_enter(&pass, cgoheap_generation));
	uint64_t before = sum_of_segment(), used = cgoheap_region->used;
	pid_t child = fork();
	if (child == 0) {
		if (cgoheap_region->used != used || memcmp(region_at(cgoheap_region->lasts), seen + cgoheap_region->lasts, used - cgoheap_region->lasts) != 0)
			_exit(1);
		cgoheap_region->used = 1;
		*(uint64_t *)region_at(cgoheap_region->lasts) = 1;
		gate_leave(pass);
		_exit(0);
	}
	int status;
	check(child > 0 && waitpid(child, &status, 0) == child && status == 0);
	check(sum_of_segment() == before);
	gate_leave(pass);
	stop_in_segment();
}

int main(void)
{
	atexit(remove_file);
	run("what is recorded is in the file", is_in_file);
	run("after a stop it is not", is_left);
	run("also where memory is limited", is_left_near_a_limit);
	run("children stay out of it", stays_out);
	run("a hook that goes on in a child does, too", forks_inside);
	run("what is recorded is in a segment of shared memory, without a shield", is_in_segment);
	run("children stay out of it", stays_out_of_segment);
	run("nor do they clear it where addresses are limited", clears_no_segment);
	run("a hook that goes on in a child does, too", forks_inside_segment);
#ifdef __SANITIZE_THREAD__ // it has a lock of its own around each atomic operation: a hook that lands elsewhere leaves that locked
	(void)is_shorter;
	(void)is_covered;
#else
	run("a file that becomes shorter ends the recording, and no thread", is_shorter);
#endif
	run("where there is no room, memory takes its place", is_full);
#ifndef __SANITIZE_THREAD__
	run("a thread that makes room and is stopped stops no other", waits_for_nobody);
#endif
	run("other signals go to the handler before", others_have_theirs);
	run("and end the process if there is none", others_die);
#ifndef __SANITIZE_THREAD__
	run("a handler that came later stays", is_covered);
#endif
}
