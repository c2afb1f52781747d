/* Memory that goes away between a check and the load that follows it, without a second thread and without luck: a seccomp
   filter traps system calls about a page, and the handler unmaps it before they return. */

#define _GNU_SOURCE
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "victim.h"

#define PAGE 4096
#define STACK (128 << 10)

static uintptr_t page;
static unsigned asked;

/* Emulates the trapped calls: a check, which reads its second argument, succeeds; a copy returns what it must. */
static void vanish(int number, siginfo_t *info, void *context)
{
	ucontext_t *at = context;
	long result = info->si_syscall == SYS_rt_sigprocmask ? -EINVAL : -EFAULT;
	(void)number;
	asked++;
	munmap((void *)page, PAGE);
#if defined(__x86_64__)
	at->uc_mcontext.gregs[REG_RAX] = result;
#else
	at->uc_mcontext.regs[0] = result;
#endif
}

/* Traps system calls whose second argument is an address in the page. */
static int trap(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1]) + 4),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(page >> 32), 0, 4),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1])),
		BPF_STMT(BPF_ALU | BPF_AND | BPF_K, ~(uint32_t)(PAGE - 1)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)page, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof code / sizeof *code, code};
	struct sigaction action = {.sa_flags = SA_SIGINFO | SA_ONSTACK};
	action.sa_sigaction = vanish;
	if (sigaction(SIGSYS, &action, NULL) != 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return errno;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0 ? 0 : errno;
}

int victim_vanish_when_asked(void *at)
{
	page = (uintptr_t)at;
	return trap();
}

void *victim_without_cfi(void *(*allocate)(size_t), size_t size, void *frame_pointer);

struct vanish {
	enum victim_vanish kind;
	size_t size;
	uintptr_t in_asmcgocall;
	int error;
};

/* A g whose stack is the page. The pointer to its m may be anywhere in it. It is also its m's g0. */
static uintptr_t forged_g(void)
{
	static uintptr_t g[64], m[1];
	m[0] = (uintptr_t)g;
	for (size_t i = 2; i < sizeof g / sizeof *g; i++)
		g[i] = (uintptr_t)m;
	g[0] = page;
	g[1] = page + PAGE;
	munmap((void *)page, PAGE);
	return (uintptr_t)g;
}

/* A record that leads to a call from Go: {caller's, return address}, and what asmcgocall saves. */
VICTIM_SITE static void from_go(struct vanish *v)
{
	uintptr_t g = v->kind == VICTIM_VANISH_OF_G ? forged_g() : page;
	uintptr_t record[4] = {0, v->in_asmcgocall, g, g};
	#if defined(__x86_64__)
	record[2] = 64; /* the depth, before g */
#else
	record[3] = 64;
#endif
	VICTIM_USE(record);
	free(victim_without_cfi(malloc, v->size, record));
	VICTIM_USE(record);
}

VICTIM_SITE static void above(struct vanish *v)
{
	free(victim_without_cfi(malloc, v->size, (void *)(page + 64)));
	VICTIM_USE(v);
}

static struct vanish *on_fiber;
static ucontext_t fiber, caller;

static void fiber_body(void)
{
	above(on_fiber);
}

/* The room's last page is the one that vanishes; below it is the stack. */
static void run_fiber(struct vanish *v)
{
	on_fiber = v;
	getcontext(&fiber);
	fiber.uc_stack.ss_sp = (void *)(page - STACK);
	fiber.uc_stack.ss_size = STACK;
	fiber.uc_link = &caller;
	makecontext(&fiber, fiber_body, 0);
	swapcontext(&caller, &fiber);
}

static void *run(void *vanish)
{
	struct vanish *v = vanish;
	v->error = trap();
	if (v->error != 0)
		return NULL;
	if (v->kind == VICTIM_VANISH_G || v->kind == VICTIM_VANISH_OF_G)
		from_go(v);
	else if (v->kind == VICTIM_VANISH_ABOVE_FIBER || v->kind == VICTIM_VANISH_BELOW_STACK)
		run_fiber(v);
	else
		above(v);
	return NULL;
}

/* A stack, just above it the page, and another stack above that. */
static int make_room(void)
{
	char *room = mmap(NULL, 2 * STACK + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (room == MAP_FAILED)
		return errno;
	page = (uintptr_t)room + STACK;
	memset((void *)page, 0, PAGE);
	return 0;
}

int victim_vanish(enum victim_vanish kind, size_t size, uintptr_t in_asmcgocall, unsigned *count)
{
	struct vanish v = {kind, size, in_asmcgocall, 0};
	pthread_attr_t attributes;
	pthread_t thread;
	int error = make_room();
	if (error != 0)
		return error;
	asked = 0;
	pthread_attr_init(&attributes);
	if (kind == VICTIM_VANISH_ABOVE_STACK)
		pthread_attr_setstack(&attributes, (void *)(page - STACK), STACK);
	if (kind == VICTIM_VANISH_BELOW_STACK)
		pthread_attr_setstack(&attributes, (void *)(page + PAGE), STACK);
	error = pthread_create(&thread, &attributes, run, &v);
	if (error == 0)
		error = pthread_join(thread, NULL);
	*count = asked;
	munmap((void *)(page - STACK), 2 * STACK + PAGE);
	return error != 0 ? error : v.error;
}
