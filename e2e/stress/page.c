/* Pages that come and go beside stacks, while code on those stacks that no unwind data describes has the address of one
   of these pages in the frame pointer register, which is that code's own to use. A room is two stacks and a page between them:

	lower stack │ page │ upper stack

   A thread has one of the stacks by pthread_attr_setstack, so there is no guard page. Fibers and signal handlers run on
   the lower stack while their thread has the upper one. The mover maps, protects and unmaps the pages. */

#define _GNU_SOURCE
#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "worker.h"

#define PAGE 4096
#define STACK (128 << 10)
#define BURST 64

#ifndef MAP_FIXED_NOREPLACE /* an older kernel takes the address for a hint */
#define MAP_FIXED_NOREPLACE 0x100000
#endif

enum { BY_THREAD, BY_HANDLER, BY_FIBER, BY_GOROUTINE, ROOMS };

struct room {
	char *lower, *page, *upper;
	bool mapped; /* the page, by the mover */
};
static struct room rooms[ROOMS];
static uintptr_t in_asmcgocall; /* where a call from Go returns to */

/* void stress_without_cfi(void (*visit)(uint32_t), uint32_t site, void *data) calls visit(site) with data in the frame
   pointer register. */
void stress_without_cfi(void (*visit)(uint32_t), uint32_t site, void *data);

#if defined(__x86_64__)
__asm__(".text\n"
	".global stress_without_cfi\n"
	".type stress_without_cfi, @function\n"
	"stress_without_cfi:\n"
	"	push %rbp\n"
	"	mov %rdx, %rbp\n"
	"	mov %rdi, %rax\n"
	"	mov %esi, %edi\n"
	"	call *%rax\n"
	"	pop %rbp\n"
	"	ret\n"
	".size stress_without_cfi, . - stress_without_cfi\n");
#elif defined(__aarch64__)
__asm__(".text\n"
	".global stress_without_cfi\n"
	".type stress_without_cfi, %function\n"
	"stress_without_cfi:\n"
	"	stp x29, x30, [sp, #-16]!\n"
	"	mov x29, x2\n"
	"	mov x9, x0\n"
	"	mov w0, w1\n"
	"	blr x9\n"
	"	ldp x29, x30, [sp], #16\n"
	"	ret\n"
	".size stress_without_cfi, . - stress_without_cfi\n");
#endif

/* A frame record, and above it what asmcgocall saves: on arm64 in the other order. */
struct record {
	void *caller;
	uintptr_t pc;
#if defined(__x86_64__)
	uintptr_t depth;
	void *g;
#else
	void *g;
	uintptr_t depth;
#endif
};

static struct record forge(char *page)
{
	void *there = page + stress_random() % (PAGE / 8) * 8;
	return (struct record){.caller = there, .pc = in_asmcgocall, .depth = 64, .g = there};
}

/* Any word of the page, even the last, which holds only half of a record. */
static void visit_page(const struct room *r, uint32_t site)
{
	stress_without_cfi(stress_visit, site + stress_random() % STRESS_WAYS, r->page + stress_random() % (PAGE / 8) * 8);
}

/* Lets other workers run. */
static void pause_after_burst(unsigned n)
{
	if (n % BURST == 0)
		usleep(500);
}

static bool create(pthread_t *thread, char *stack, void *(*body)(void *), uint32_t site)
{
	pthread_attr_t attributes;
	bool created = pthread_attr_init(&attributes) == 0 && pthread_attr_setstack(&attributes, stack, STACK) == 0 &&
		       pthread_create(thread, &attributes, body, (void *)(uintptr_t)site) == 0;
	pthread_attr_destroy(&attributes);
	return created;
}

static void run_on(char *stack, void *(*body)(void *), uint32_t site)
{
	pthread_t thread;
	bool created = create(&thread, stack, body, site);
	stress_must(created && pthread_join(thread, NULL) == 0, "a thread beside a page begins and ends");
}

static void *in_thread(void *site)
{
	for (unsigned n = 1; !stress_ended(); n++) {
		visit_page(&rooms[BY_THREAD], (uintptr_t)site);
		pause_after_burst(n);
	}
	return NULL;
}

void stress_pages_by_thread(uint32_t site)
{
	run_on(rooms[BY_THREAD].lower, in_thread, site);
}

static __thread uint32_t site_here;

static void handler(int number)
{
	(void)number;
	visit_page(&rooms[BY_HANDLER], site_here);
}

static void *raise_signals(void *site)
{
	struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
	stack_t lower = {.ss_sp = rooms[BY_HANDLER].lower, .ss_size = STACK}, none = {.ss_flags = SS_DISABLE};
	int number = SIGRTMIN + 7;
	site_here = (uintptr_t)site;
	stress_must(sigaltstack(&lower, NULL) == 0 && sigaction(number, &action, NULL) == 0, "a signal is handled");
	for (unsigned n = 1; !stress_ended(); n++) {
		raise(number);
		pause_after_burst(n);
	}
	sigaltstack(&none, NULL);
	return NULL;
}

void stress_pages_by_handler(uint32_t site)
{
	run_on(rooms[BY_HANDLER].upper, raise_signals, site);
}

static void in_fiber(void)
{
	for (int i = 0; i < BURST; i++)
		visit_page(&rooms[BY_FIBER], site_here);
}

/* The thread allocates on its own stack, too. */
static void *run_fibers(void *site)
{
	ucontext_t fiber, caller;
	site_here = (uintptr_t)site;
	while (!stress_ended()) {
		visit_page(&rooms[BY_FIBER], site_here);
		getcontext(&fiber);
		fiber.uc_stack.ss_sp = rooms[BY_FIBER].lower;
		fiber.uc_stack.ss_size = STACK;
		fiber.uc_link = &caller;
		makecontext(&fiber, in_fiber, 0);
		swapcontext(&caller, &fiber);
		pause_after_burst(0);
	}
	return NULL;
}

void stress_pages_by_fiber(uint32_t site)
{
	run_on(rooms[BY_FIBER].upper, run_fibers, site);
}

/* On the system stack of a thread that Go created: a record that looks like a call from Go, whose g would be in the
   page. */
void stress_pages_by_goroutine(uint32_t site)
{
	for (unsigned n = 1; n <= BURST; n++) {
		volatile struct record r = forge(rooms[BY_GOROUTINE].page);
		stress_without_cfi(stress_visit, site + stress_random() % STRESS_WAYS, (void *)&r);
		pause_after_burst(n);
	}
}

static void map(struct room *r)
{
	void *at = mmap(r->page, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	r->mapped = at == r->page;
	if (at != MAP_FAILED && !r->mapped)
		munmap(at, PAGE);
	for (struct record *to = (struct record *)r->page; r->mapped && to < (struct record *)(r->page + PAGE); to++)
		*to = forge(r->page);
}

/* Another thread may have mapped something there meanwhile: then the page must not be touched. */
static void move(struct room *r)
{
	if (!r->mapped)
		return map(r);
	if (stress_random() % 2 == 0) {
		mprotect(r->page, PAGE, PROT_NONE);
		mprotect(r->page, PAGE, PROT_READ | PROT_WRITE);
	} else {
		munmap(r->page, PAGE);
		r->mapped = false;
	}
	stress_count(MOVES);
}

void stress_move_pages(void)
{
	for (unsigned n = 1; !stress_ended(); n++) {
		move(&rooms[stress_random() % ROOMS]);
		pause_after_burst(n);
	}
}

/* asmcgocall called the last frame that has unwind data. */
bool stress_make_rooms(void)
{
	void *frames[16];
	int depth = backtrace(frames, 16);
	in_asmcgocall = depth > 0 ? (uintptr_t)frames[depth - 1] : 0;
	for (struct room *r = rooms; r < rooms + ROOMS; r++) {
		char *at = mmap(NULL, 2 * STACK + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (at == MAP_FAILED)
			return false;
		*r = (struct room){at, at + STACK, at + STACK + PAGE, true};
	}
	return in_asmcgocall != 0;
}
