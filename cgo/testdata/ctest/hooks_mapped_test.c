// The hooks of calls that map memory: they return what the kernel returns, and what they record agrees with the kernel's list.
//
// In the storms, what a call maps is of one file, at an offset that is the call's own, and the length that it asks for tells the
// same. So the kernel's list says of each page which call it is of, whoever moved or cut it since.
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "../../gate.h"
#include "../../mapped_calls.h"
#include "mappings.h"

#define THREADS 8
#define MOST 16           // pages that a call maps
#define SPAN 64           // pages of the file for each call
#define CODES 4000        // that a length can tell
#define ARENA 256         // pages
#if defined(__SANITIZE_ADDRESS__)
#define ARENAS 0x200000000000UL // the sanitizers leave different addresses to the program
#else
#define ARENAS 0x4000000000UL
#endif

static int file;
static bool anywhere; // all threads work in one arena
static uint64_t inode;

struct work {
	uint64_t random, codes;
	uintptr_t arena;
	void *loose[8]; // wherever the kernel put them
	size_t loose_pages[8];
	int forks;
};

static uint64_t below(struct work *w, uint64_t limit)
{
	w->random = w->random * 6364136223846793005ULL + 1442695040888963407ULL;
	return (w->random >> 33) % limit;
}

static size_t length_of(uint64_t pages, uint64_t code)
{
	return pages * PAGE - code % CODES;
}

static void map_fixed(struct work *w, uint64_t at, uint64_t pages)
{
	uint64_t code = w->codes += THREADS;
	void *p = hook_mmap((void *)(w->arena + at * PAGE), length_of(pages, code), PROT_READ, MAP_SHARED | MAP_FIXED, file,
			    (off_t)(code * SPAN * PAGE));
	check(p == (void *)(w->arena + at * PAGE));
}

static void map_loose(struct work *w, uint64_t slot, uint64_t pages)
{
	uint64_t code = w->codes += THREADS;
	if (w->loose[slot] != NULL)
		check(hook_munmap(w->loose[slot], w->loose_pages[slot] * PAGE) == 0);
	w->loose[slot] = hook_mmap(NULL, length_of(pages, code), PROT_READ, MAP_SHARED, file, (off_t)(code * SPAN * PAGE));
	check(w->loose[slot] != MAP_FAILED);
	w->loose_pages[slot] = pages;
}

// To another size and, if the kernel likes, another place. It keeps its code: the test knows it by the offset.
static void resize_loose(struct work *w, uint64_t slot, uint64_t pages)
{
	if (w->loose[slot] == NULL || w->loose_pages[slot] == pages)
		return;
	void *p = hook_mremap(w->loose[slot], w->loose_pages[slot] * PAGE, pages * PAGE, below(w, 2) ? MREMAP_MAYMOVE : 0, NULL);
	if (p == MAP_FAILED)
		return;
	w->loose[slot] = p;
	w->loose_pages[slot] = pages;
}

static void move_fixed(struct work *w, uint64_t from, uint64_t to, uint64_t pages)
{
	if (!anywhere)
		map_fixed(w, from, pages); // otherwise there may be gaps, and what becomes of those is not known
	void *old = (void *)(w->arena + from * PAGE), *new = (void *)(w->arena + to * PAGE);
	if (hook_mremap(old, pages * PAGE, pages * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, new) != MAP_FAILED)
		return;
	hook_munmap(old, pages * PAGE); // nobody knows what is where
	hook_munmap(new, pages * PAGE);
}

static void fork_one(struct work *w)
{
	if (w->forks-- <= 0)
		return;
	pid_t child = fork();
	if (child == 0) {
		map_fixed(w, 0, MOST);
		hook_munmap((void *)w->arena, ARENA * PAGE);
		_exit(cgoheap_region->pid == 0 ? 0 : 1);
	}
	int status;
	check(child > 0 && waitpid(child, &status, 0) == child && status == 0);
}

static void step(struct work *w)
{
	uint64_t pages = 1 + below(w, MOST), at = below(w, ARENA - 2 * MOST);
	switch (below(w, 16)) {
	case 0 ... 4:
		return map_fixed(w, at, pages);
	case 5 ... 7:
		check(hook_munmap((void *)(w->arena + at * PAGE), pages * PAGE) == 0);
		return;
	case 8 ... 10:
		return map_loose(w, below(w, 8), pages);
	case 11:
		return resize_loose(w, below(w, 8), pages);
	case 12:
		return move_fixed(w, at, below(w, ARENA - 2 * MOST), pages);
	case 13:
		check(hook_munmap((void *)(w->arena + 1), PAGE) == -1 && errno == EINVAL);
		return;
	case 14:
		check(hook_mmap((void *)(w->arena + at * PAGE), PAGE, PROT_READ, MAP_SHARED | MAP_FIXED, -1, 0) == MAP_FAILED && errno == EBADF);
		return;
	default:
		if (below(w, 100) == 0)
			fork_one(w);
	}
}

static pthread_barrier_t rest, go_on;
static int rests;

static void *storm(void *argument)
{
	struct work *w = argument;
	for (int i = 0; i < rests; i++) {
		for (int k = 0; k < 500; k++)
			step(w);
		pthread_barrier_wait(&rest);
		pthread_barrier_wait(&go_on);
	}
	for (int i = 0; i < 8; i++)
		if (w->loose[i] != NULL)
			hook_munmap(w->loose[i], w->loose_pages[i] * PAGE);
	return NULL;
}

struct agreement {
	uint64_t pages, known, wrong, lost;
};

static void compare_page(struct agreement *a, uintptr_t page, uint64_t file_page)
{
	const struct mapped *m = range_of(page);
	a->pages++;
	if (m == NULL)
		return;
	a->known++;
	bool moved = m->length % PAGE == 0; // mremap asked for whole pages
	if (!moved && (PAGE - m->length % PAGE) != file_page / SPAN % CODES)
		a->wrong++;
}

// Page by page, of what the storm mapped.
static struct agreement compare(void)
{
	struct agreement a = {0};
	char line[512];
	FILE *maps = fopen("/proc/self/maps", "r");
	read_ranges();
	while (fgets(line, sizeof line, maps) != NULL) {
		uintptr_t start, limit;
		uint64_t offset, number;
		check(sscanf(line, "%lx-%lx %*s %lx %*s %lu", &start, &limit, &offset, &number) == 4);
		for (uintptr_t page = start; number == inode && page < limit; page += PAGE)
			compare_page(&a, page, (offset + page - start) / PAGE);
	}
	fclose(maps);
	for (size_t i = 0; i < count_of_ranges; i++)
		for (uintptr_t page = ranges[i].start; page < ranges[i].limit; page += PAGE)
			a.lost++;
	a.lost -= a.known; // recorded, and not the kernel's
	return a;
}

// Returns at how many rests all was compared: nothing is known of gaps once a call was lost, because the threads had too little of
// the processors.
static int storm_of(bool in_one, int times)
{
	static struct work w[THREADS];
	pthread_t t[THREADS];
	anywhere = in_one;
	rests = times;
	file = memfd_create("storm", 0);
	check(file >= 0 && ftruncate(file, (off_t)1 << 46) == 0);
	struct stat status;
	check(fstat(file, &status) == 0);
	inode = status.st_ino;
	pthread_barrier_init(&rest, NULL, THREADS + 1);
	pthread_barrier_init(&go_on, NULL, THREADS + 1);
	start_mapped();
	for (uint64_t i = 0; i < THREADS; i++) {
		w[i] = (struct work){.random = i + 1, .codes = i, .arena = ARENAS + (in_one ? 0 : i * 2 * ARENA * PAGE), .forks = 3};
		check(pthread_create(&t[i], NULL, storm, &w[i]) == 0);
	}
	int judged = 0;
	for (int i = 0; i < times; i++) {
		pthread_barrier_wait(&rest);
		struct agreement a = compare();
		bool doubt = cgoheap_counted(COUNT_LOST_MAPPED) != 0;
		if (a.wrong != 0 || (!in_one && !doubt && (a.known != a.pages || a.lost != 0)))
			printf("rest %d: %lu pages, %lu known, %lu of a wrong call, %lu not mapped\n", i, a.pages, a.known, a.wrong, a.lost);
		check(a.pages > 0 && a.wrong == 0);
		check(in_one || doubt || (a.known == a.pages && a.lost == 0));
		judged += !doubt;
		pthread_barrier_wait(&go_on);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	check(cgoheap_stop());
	munmap((void *)ARENAS, 2 * THREADS * ARENA * PAGE);
	close(file);
	return judged;
}

static void apart(void)
{
	int judged;
	until (judged > 0, judged = storm_of(false, 100 / SCALE + 2));
}

static void together(void)
{
	(void)storm_of(true, 100 / SCALE + 2);
}

#define ANONYMOUS (MAP_PRIVATE | MAP_ANONYMOUS)

static char *map(uint64_t pages)
{
	char *p = hook_mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, ANONYMOUS, -1, 0);
	check(p != MAP_FAILED);
	return p;
}

// The call that a page is said to be of, 0 for none.
static uint64_t call_of(const void *p)
{
	read_ranges();
	const struct mapped *m = range_of((uintptr_t)p);
	return m == NULL ? 0 : m->number;
}

static void kinds(void)
{
	char *before = map(1);
	start_mapped();
	char *p = map(1), *go = (char *)go_mmap(NULL, PAGE, PROT_READ, ANONYMOUS, -1, 0);
	char *shared = hook_mmap64(NULL, 5, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	read_ranges();
	check(range_of((uintptr_t)before) == NULL);
	const struct mapped *m = range_of((uintptr_t)p);
	check(m->kind == MAPPED_PROGRAM && m->stack != 0 && m->flags == 0 && m->length == PAGE && m->base == m->start);
	m = range_of((uintptr_t)go);
	check(m->kind == MAPPED_GO && m->stack == 0);
	m = range_of((uintptr_t)shared);
	check(m->kind == MAPPED_PROGRAM && m->flags == MAPPED_SHARED && m->length == 5 && m->limit - m->start == PAGE);
	go_munmap(go, PAGE);
	hook_munmap(p, PAGE);
	hook_munmap(shared, PAGE);
	hook_munmap(before, PAGE);
	read_ranges();
	check(count_of_ranges == 0);
	mapping_set_allocator((uintptr_t)map, (uintptr_t)map + 4096);
	p = map(1);
	read_ranges();
	check(range_of((uintptr_t)p)->kind == MAPPED_ALLOCATOR);
	mapping_set_allocator(0, 0);
	hook_munmap(p, PAGE);
	check(cgoheap_stop());
	check(cgoheap_mapped_watch == 0);
}

static bool of_go(const char *p)
{
	uint64_t start, limit;
	for (size_t i = 0; i < PAGE_SET_RANGES; i++)
		if (page_set_get(&cgoheap_go_pages, i, &start, &limit) && start <= (uintptr_t)p && (uintptr_t)p < limit)
			return true;
	return false;
}

// What Go maps is noted whether anything is recorded or not, and what others map is not.
static void of_gos_runtime(void)
{
	start_mapped(); // from now on its calls are known
	check(cgoheap_stop() && cgoheap_mapped_watch == 0);
	char *go = (char *)go_mmap(NULL, 4 * PAGE, PROT_READ, ANONYMOUS, -1, 0), *p = map(1);
	check(of_go(go) && of_go(go + 3 * PAGE) && !of_go(p));
	errno = 77;
	go_munmap(go + PAGE, PAGE);
	check(errno == 77 && of_go(go) && !of_go(go + PAGE) && of_go(go + 2 * PAGE));
	check(go_mmap(go + PAGE, PAGE, PROT_READ, ANONYMOUS | MAP_FIXED, -1, 0) == (uintptr_t)go + PAGE && of_go(go + PAGE));
	check(errno == 77 && go_mmap(go + 1, PAGE, PROT_READ, ANONYMOUS | MAP_FIXED, -1, 0) == 1 && errno == EINVAL && of_go(go));
	start_mapped();
	check(of_go(go) && hook_mmap(go, PAGE, PROT_READ, ANONYMOUS | MAP_FIXED, -1, 0) == go && !of_go(go));
	check(cgoheap_stop());
	go_munmap(go, 4 * PAGE);
	check(!of_go(go) && !of_go(go + 3 * PAGE) && hook_munmap(p, PAGE) == 0);
}

static void failures(void)
{
	start_mapped();
	char *p = map(4);
	uint64_t call = call_of(p);
	check(hook_munmap(p + 1, PAGE) == -1 && errno == EINVAL);
	check(hook_munmap(p, 0) == -1 && errno == EINVAL);
	check(hook_mmap(p, PAGE, PROT_READ, MAP_PRIVATE | MAP_FIXED, -1, 0) == MAP_FAILED && errno == EBADF);
	check(hook_mmap(p, PAGE, PROT_READ, ANONYMOUS | MAP_FIXED, -1, 1) == MAP_FAILED && errno == EINVAL);
	check(hook_mmap(p + 1, PAGE, PROT_READ, ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED && errno == EINVAL);
	check(hook_mmap(NULL, (size_t)-1, PROT_READ, ANONYMOUS, -1, 0) == MAP_FAILED && errno == ENOMEM);
	check(hook_mmap(p, (size_t)-1, PROT_READ, ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED && errno == ENOMEM);
	check(hook_mmap(p, (size_t)-PAGE, PROT_READ, ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED && errno == ENOMEM);
	check(hook_mmap(p, 0, PROT_READ, ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED && errno == EINVAL);
	check(hook_munmap(p, (size_t)-1) == -1 && errno == EINVAL && hook_munmap(p, (size_t)-PAGE) == -1 && errno == EINVAL);
	check(hook_mmap(NULL, (size_t)1 << 60, PROT_READ, ANONYMOUS, -1, 0) == MAP_FAILED && errno == ENOMEM);
	check(hook_mremap(p, 4 * PAGE, (size_t)1 << 46, MREMAP_MAYMOVE, NULL) == MAP_FAILED && errno == ENOMEM);
	check(hook_mremap(p, 4 * PAGE, 4 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, p + PAGE) == MAP_FAILED && errno == EINVAL);
	check(hook_mremap(p, 4 * PAGE, 0, 0, NULL) == MAP_FAILED && errno == EINVAL);
	check(hook_shmat(-1, NULL, 0) == (void *)-1 && errno == EINVAL);
	check(hook_shmdt(p) == -1 && errno == EINVAL);
	check(hook_brk(NULL) == 0);
	for (int i = 0; i < 4; i++)
		check(call_of(p + (size_t)i * PAGE) == call);
	errno = 77;
	check(hook_munmap(p, 4 * PAGE) == 0 && errno == 77);
	p = map(1);
	check(errno == 77 && hook_munmap(p, PAGE) == 0 && errno == 77 && cgoheap_counted(COUNT_LOST_MAPPED) == 0);
	check(cgoheap_stop());
}

static void remaps(void)
{
	start_mapped();
	char *p = map(8), *q;
	uint64_t call = call_of(p);
	check(hook_mremap(p, 8 * PAGE, 8 * PAGE - 1, 0, NULL) == p && call_of(p) == call);
	check(hook_mremap(p, 8 * PAGE, 2 * PAGE, 0, NULL) == p && call_of(p) == call && call_of(p + 2 * PAGE) == 0);
	check(hook_mremap(p, 2 * PAGE, 6 * PAGE, 0, NULL) == p && call_of(p) > call && call_of(p + 5 * PAGE) == call_of(p));
	q = map(9);
	call = call_of(q);
	check(hook_mremap(p, 6 * PAGE, 6 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, q + PAGE) == q + PAGE);
	check(call_of(p) == 0 && call_of(q) == call && call_of(q + PAGE) > call && call_of(q + 6 * PAGE) > call && call_of(q + 7 * PAGE) == call);
	read_ranges();
	check(range_of((uintptr_t)q + PAGE)->flags == 0 && range_of((uintptr_t)q + PAGE)->length == 6 * PAGE);
	check(hook_munmap(q, 9 * PAGE) == 0);
	p = hook_mmap(NULL, PAGE, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	q = hook_mremap(p, 0, PAGE, MREMAP_MAYMOVE, NULL);
	check(q != MAP_FAILED && call_of(p) != 0 && call_of(q) > call_of(p));
	check(hook_munmap(p, PAGE) == 0 && hook_munmap(q, PAGE) == 0 && cgoheap_stop());
}

static void heap_end(void)
{
	start_mapped();
	char *p = hook_sbrk(3 * PAGE), *end = sbrk(0), *first = (char *)(((uintptr_t)p + PAGE - 1) & -PAGE);
	check(p != (void *)-1 && end >= p + 3 * PAGE);
	uint64_t call = call_of(first);
	check(call != 0 && call_of(first + 2 * PAGE) == call && call_of(first - PAGE) == 0);
	check(hook_sbrk(-(intptr_t)PAGE) == p + 3 * PAGE && call_of(first + PAGE) == call && call_of(first + 2 * PAGE) == 0);
	check(hook_brk(p + 4 * PAGE) == 0 && call_of(first + PAGE) == call && call_of(first + 3 * PAGE) > call);
	check(hook_brk(p) == 0 && sbrk(0) == p);
	read_ranges();
	check(count_of_ranges == 0 && cgoheap_stop());
}

// What mremap moves is no more than it was asked to, and what it puts in may look like a part of a segment below.
static void remapped_segment(int segment)
{
	char *p = hook_shmat(segment, NULL, 0), *q = hook_shmat(segment, NULL, 0), *to = map(4);
	uint64_t call = call_of(p), other = call_of(q);
	check(hook_mremap(q, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, to) == to && call_of(q) == 0 && call_of(to) > other);
	check(hook_mremap(q + PAGE, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, p + PAGE) == p + PAGE);
	check(call_of(p) == call && call_of(p + PAGE) == 0);
	const struct mapped *m = range_of((uintptr_t)to), *first = range_of((uintptr_t)p);
	check(m->flags == (MAPPED_SHARED | MAPPED_SEGMENT) && m->length == PAGE);
	check(first->flags == (MAPPED_SHARED | MAPPED_SEGMENT) && first->length == PAGE);
	check(hook_shmdt(p) == 0 && hook_shmdt(q) == 0 && hook_munmap(to, 4 * PAGE) == 0 && hook_munmap(p + PAGE, PAGE) == 0);
}

static void shared_segments(void)
{
	int segment = shmget(IPC_PRIVATE, 3 * PAGE - 5, 0600);
	if (segment < 0)
		return; // not in this container
	start_mapped();
	char *p = hook_shmat(segment, NULL, 0), *q = hook_shmat(segment, NULL, SHM_RDONLY);
	uint64_t call = call_of(p);
	check(call != 0 && call_of(p + PAGE) == 0 && call_of(q) > call); // the reader finds the rest
	read_ranges();
	const struct mapped *m = range_of((uintptr_t)p);
	check(m->length == (uint32_t)segment && m->flags == (MAPPED_SHARED | MAPPED_SEGMENT | MAPPED_OPEN));
	check(hook_munmap(p + PAGE, PAGE) == 0 && call_of(p) == call);
	check(hook_shmdt(p) == 0 && call_of(p) == 0 && call_of(q) != 0);
	check(hook_shmat(segment, q, SHM_REMAP) == q && call_of(q) > call && call_of(q + 2 * PAGE) == call_of(q));
	m = range_of((uintptr_t)q);
	check(m->length == 3 * PAGE - 5 && m->flags == (MAPPED_SHARED | MAPPED_SEGMENT));
	check(hook_shmdt(q) == 0);
	remapped_segment(segment);
	read_ranges();
	check(count_of_ranges == 0 && shmctl(segment, IPC_RMID, NULL) == 0 && cgoheap_stop());
}

static char *by_handler;

static void handle(int signal)
{
	(void)signal;
	by_handler = hook_mmap(NULL, PAGE, PROT_READ, ANONYMOUS, -1, 0);
}

// On a stack of its own, as small as the system lets it be for a handler that calls functions.
static void in_a_handler(void)
{
	size_t size = (size_t)sysconf(_SC_SIGSTKSZ);
	stack_t own = {.ss_sp = malloc(size), .ss_size = size};
	struct sigaction action = {.sa_handler = handle, .sa_flags = SA_ONSTACK};
	start_mapped();
	check(sigaltstack(&own, NULL) == 0 && sigaction(SIGUSR1, &action, NULL) == 0);
	check(raise(SIGUSR1) == 0 && call_of(by_handler) != 0);
	check(hook_munmap(by_handler, PAGE) == 0);
	own.ss_flags = SS_DISABLE;
	check(sigaltstack(&own, NULL) == 0);
	free(own.ss_sp);
	check(cgoheap_stop());
}

// A handler interrupts threads that map, wherever they are, and maps itself.
static void *disturb(void *whom)
{
	for (int i = 0; i < 2000 / SCALE; i++) {
		pthread_kill(*(pthread_t *)whom, SIGUSR2);
		sched_yield();
	}
	return NULL;
}

static void map_and_unmap(int signal)
{
	(void)signal;
	char *p = hook_mmap(NULL, 3 * PAGE, PROT_READ, ANONYMOUS, -1, 0);
	check(p != MAP_FAILED && hook_munmap(p, 3 * PAGE) == 0);
}

static void handlers_that_interrupt(void)
{
	pthread_t t, self = pthread_self();
	start_mapped();
	check(signal(SIGUSR2, map_and_unmap) != SIG_ERR);
	check(pthread_create(&t, NULL, disturb, &self) == 0);
	for (int i = 0; i < 20000 / SCALE; i++) {
		char *p = map(2);
		check(hook_munmap(p, PAGE) == 0 && hook_munmap(p + PAGE, PAGE) == 0);
	}
	pthread_join(t, NULL);
	signal(SIGUSR2, SIG_IGN);
	read_ranges();
	check(count_of_ranges == 0 && cgoheap_stop());
}

static _Thread_local sigjmp_buf before_calls;
static _Thread_local volatile sig_atomic_t jumps;

static void jump(int signal)
{
	(void)signal;
	if (jumps)
		siglongjmp(before_calls, 1);
}

static void *map_until_stopped(void *stopping)
{
	while (!__atomic_load_n((int *)stopping, __ATOMIC_RELAXED)) {
		if (sigsetjmp(before_calls, 1) == 0)
			jumps = 1;
		void *p = hook_mmap(NULL, 2 * PAGE, PROT_READ, ANONYMOUS, -1, 0);
		if (p != MAP_FAILED)
			hook_munmap(p, 2 * PAGE);
	}
	jumps = 0;
	return NULL;
}

// A handler may jump out of calls that map, without returning to them. Nothing that they hold may stay taken.
static void handlers_that_jump_out(void)
{
	pthread_t t[4];
	int stopping = 0;
	start_mapped();
	check(signal(SIGUSR2, jump) != SIG_ERR);
	for (int i = 0; i < 4; i++)
		check(pthread_create(&t[i], NULL, map_until_stopped, &stopping) == 0);
	for (int i = 0; i < 10000 / SCALE; i++) {
		pthread_kill(t[i % 4], SIGUSR2);
		sched_yield();
	}
	__atomic_store_n(&stopping, 1, __ATOMIC_RELAXED);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	signal(SIGUSR2, SIG_IGN);
	check(gate_crowd() == 0 && gate_settle());
	read_ranges(); // so that events that were lost, because a thread that applied others got no processor, concern nothing that comes
	char *p = map(2);
	check(call_of(p) != 0 && hook_munmap(p, 2 * PAGE) == 0 && cgoheap_stop());
}

#ifndef __SANITIZE_THREAD__
// A vforked child shares the memory, and what it maps is there afterwards.
static void in_a_vforked_child(void)
{
	static char *volatile p;
	start_mapped();
	pid_t child = vfork();
	if (child == 0) {
		p = hook_mmap(NULL, PAGE, PROT_READ, ANONYMOUS, -1, 0);
		_exit(0);
	}
	check(waitpid(child, NULL, 0) == child && call_of(p) != 0);
	check(hook_munmap(p, PAGE) == 0 && cgoheap_stop());
}
#endif

// What others have unmapped and mapped by system calls of their own is not known. The next recorded call there is.
static void unseen_calls(void)
{
	start_mapped();
	char *p = map(1);
	uint64_t call = call_of(p);
	check(munmap(p, PAGE) == 0 && mmap(p, PAGE, PROT_READ, MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == p);
	check(call_of(p) == call && munmap(p, PAGE) == 0);
	check(hook_mmap(p, PAGE, PROT_READ, ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) == p && call_of(p) > call);
	check(hook_munmap(p, PAGE) == 0 && cgoheap_stop());
}

// The kernel rounds up to huge pages what it maps, and unmaps only whole ones.
static void huge_pages(void)
{
	const size_t huge = 2 << 20;
	start_mapped();
	char *p = hook_mmap(NULL, PAGE, PROT_READ, ANONYMOUS | MAP_HUGETLB, -1, 0);
	if (p == MAP_FAILED) { // the system has none
		check(errno == ENOMEM || errno == EINVAL || errno == ENOSYS || errno == EPERM);
		check(cgoheap_stop());
		return;
	}
	uint64_t call = call_of(p);
	check(call != 0 && hook_munmap(p, PAGE) == -1 && errno == EINVAL && call_of(p) == call);
	check(hook_munmap(p, huge) == 0 && call_of(p) == 0 && cgoheap_stop());
}

// The next instructions end the process at a system call.
#define END_AT(call)                                                                                                   \
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1), \
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)

// The next instructions refuse a system call if the low half of an argument has a value.
#define REFUSE(call, argument, value, with)                                                                            \
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),                                         \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 3),                                                               \
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[argument])),                             \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1),                                                              \
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (with))

static bool filter(void)
{
	struct sock_filter refusals[] = {
		REFUSE(SYS_mmap, 1, 5 * PAGE, ENOTTY), REFUSE(SYS_munmap, 1, 7 * PAGE, EXDEV), REFUSE(SYS_mremap, 2, 9 * PAGE, ENOTDIR),
		END_AT(SYS_shmctl), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
	struct sock_fprog program = {sizeof refusals / sizeof *refusals, refusals};
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

// A segment of which this returns the id lasts as long as the process. -1: not in this container.
static int lasting_segment(void)
{
	int segment = shmget(IPC_PRIVATE, 3 * PAGE, 0600);
	check(segment < 0 || (syscall(SYS_shmat, segment, NULL, 0) != -1 && shmctl(segment, IPC_RMID, NULL) == 0));
	return segment;
}

// Nobody may ask how large the segment is. Where it is attached over other memory, that and all above is
// of unknown caller.
static void attached_under_a_filter(int segment)
{
	char *p = hook_shmat(segment, NULL, 0), *lower = map(9), *q = lower + 4 * PAGE;
	uint64_t call = call_of(p), below = call_of(lower);
	check(p != (char *)-1 && call != 0 && hook_shmat(segment, q, SHM_REMAP) == q);
	check(call_of(q) == 0 && call_of(q + 3 * PAGE) == 0 && call_of(q - PAGE) == below && call_of(p) == (p < q ? call : 0));
	check(hook_shmdt(p) == 0 && hook_shmdt(q) == 0 && call_of(p) == 0 && hook_munmap(lower, 9 * PAGE) == 0);
}

// What a filter refuses changes nothing, and has the filter's errno. A call that might have taken something away before it failed
// leaves that to nobody.
static void refused_by_a_filter(void)
{
	int segment = lasting_segment();
	start_mapped();
	char *p = map(8);
	uint64_t call = call_of(p);
	if (!filter()) {
		check(cgoheap_stop());
		return;
	}
	check(hook_mmap(NULL, 5 * PAGE, PROT_READ, ANONYMOUS, -1, 0) == MAP_FAILED && errno == ENOTTY && call_of(p) == call);
	check(hook_munmap(p, 7 * PAGE) == -1 && errno == EXDEV && call_of(p) == call && call_of(p + 7 * PAGE) == call);
	check(hook_mremap(p, 8 * PAGE, 9 * PAGE, 0, NULL) == MAP_FAILED && errno == ENOTDIR && call_of(p) == call);
	check(hook_mmap(p, 5 * PAGE, PROT_READ, ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED && errno == ENOTTY);
	check(call_of(p) == 0 && call_of(p + 5 * PAGE) == call);
	check(hook_munmap(p, 8 * PAGE) == 0 && call_of(p + 5 * PAGE) == 0);
	if (segment >= 0)
		attached_under_a_filter(segment);
	check(cgoheap_stop());
}

int main(void)
{
	run("who mapped is told apart, and what was mapped before is not known", kinds);
	run("what Go's runtime maps is noted at all times", of_gos_runtime);
	run("calls that fail change nothing, and errno is the kernel's", failures);
	run("mremap", remaps);
	run("brk and sbrk", heap_end);
	run("shmat and shmdt", shared_segments);
	run("a call from a signal handler on a small stack", in_a_handler);
	run("handlers that map while they interrupt calls that map", handlers_that_interrupt);
	run("handlers that jump out of calls that map", handlers_that_jump_out);
#ifndef __SANITIZE_THREAD__ // where vfork is fork
	run("a call in a vforked child", in_a_vforked_child);
#endif
	run("what was mapped by calls of others is not blamed on the next one at its place", unseen_calls);
	run("huge pages", huge_pages);
	run("eight threads in places of their own, with fork: every page is known, and of the right call", apart);
	run("eight threads in one place, without any order: no page is blamed on a wrong call", together);
	run("calls that a filter refuses", refused_by_a_filter);
	return 0;
}
