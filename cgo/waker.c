//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

// A hook or a signal handler must not call Go. A goroutine that waited for them would be visible to the program, and
// would be ready to run when main begins: then main's first long system call would cost main its thread. So a C thread
// waits, on a futex, because a program could close a descriptor. Go knows the thread only while it calls Go.

#define _GNU_SOURCE
#include "waker.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "gate.h"
#include "machine.h"
#include "region.h"
#include "thread.h"

// From linux/futex.h, which musl's compilers do not find.
#define FUTEX_WAIT_PRIVATE 128
#define FUTEX_WAKE_PRIVATE 129

#define ENDING (1U << 31)
#define STACK (256 << 10) // Go's runtime needs some of it while it is called

static uint32_t asked;
static pthread_t thread;

static void ask(uint32_t reason)
{
	// A wake can fail only if the kernel forbids futexes; then nobody waits.
	if ((__atomic_fetch_or(&asked, reason, __ATOMIC_ACQ_REL) & reason) == 0)
		system_call(SYS_futex, (long)&asked, FUTEX_WAKE_PRIVATE, 1, 0);
}

void waker_ask(enum wake reason)
{
	ask(reason);
}

static uint32_t looking; // the most urgent reason for a look since waker_rearm; 0 for none

void waker_look(enum wake reason)
{
	uint32_t before = __atomic_load_n(&looking, __ATOMIC_RELAXED);
	do {
		if (before >= reason)
			return;
	} while (!__atomic_compare_exchange_n(&looking, &before, reason, 1, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
	count(COUNT_WAKES);
	waker_ask(reason);
}

void waker_rearm(void)
{
	__atomic_store_n(&looking, 0, __ATOMIC_RELEASE);
}

static bool sleep_until_asked(void)
{
	long result = system_call(SYS_futex, (long)&asked, FUTEX_WAIT_PRIVATE, 0, 0);
	return result == 0 || result == -EAGAIN || result == -EINTR;
}

// Keeps this thread's allocations out of the recording: Go's runtime makes some to call Go on it.
static void record_nothing(void)
{
	cgoheap_thread.generation = __atomic_load_n(&cgoheap_generation, __ATOMIC_ACQUIRE);
	cgoheap_thread.countdown = UINT64_MAX;
}

// Threads inherit the signal mask.
static int create(pthread_t *made, void *(*run)(void *), void *argument)
{
	pthread_attr_t attributes;
	int failed = pthread_attr_init(&attributes);
	if (failed != 0)
		return failed;
	failed = pthread_attr_setstacksize(&attributes, STACK);
	if (failed == 0)
		failed = pthread_create(made, &attributes, run, argument);
	pthread_attr_destroy(&attributes);
	if (failed == EINVAL) // the program's thread-local variables need more than this stack
		failed = pthread_create(made, NULL, run, argument);
	return failed;
}

struct request {
	void (*call)(uint32_t);
	uint32_t reasons;
};

static void *make_call(void *request)
{
	const struct request *r = request;
	record_nothing();
	r->call(r->reasons);
	return NULL;
}

// Calls Go on a thread that ends afterwards: the runtime keeps a goroutine for each thread that has called Go, as long
// as it lives. If no thread can be created, call runs on this one, and one such goroutine stays.
static void call_apart(void (*call)(uint32_t), uint32_t reasons)
{
	struct request request = {call, reasons};
	pthread_t caller;
	if (create(&caller, make_call, &request) == 0)
		pthread_join(caller, NULL);
	else
		call(reasons);
}

static void *wait_and_call(void *call)
{
	uint32_t reasons;
	prctl(PR_SET_NAME, "cgoheap"); // the name is for people who list threads, and may fail
	do {
		while ((reasons = __atomic_exchange_n(&asked, 0, __ATOMIC_ACQ_REL)) == 0)
			if (!sleep_until_asked())
				return NULL;
		record_nothing();
		if ((reasons & ENDING) == 0)
			call_apart((void (*)(uint32_t))(uintptr_t)call, reasons);
	} while ((reasons & ENDING) == 0);
	return NULL;
}

// Blocks all signals for the thread: they are for the program's threads.
int waker_begin(void (*call)(uint32_t))
{
	sigset_t all, before;
	sigfillset(&all);
	int failed = pthread_sigmask(SIG_SETMASK, &all, &before);
	if (failed != 0)
		return failed;
	__atomic_store_n(&asked, 0, __ATOMIC_RELEASE);
	failed = create(&thread, wait_and_call, (void *)(uintptr_t)call);
	int unrestored = pthread_sigmask(SIG_SETMASK, &before, NULL);
	return failed != 0 ? failed : unrestored;
}

void waker_end(void)
{
	ask(ENDING);
	pthread_join(thread, NULL);
}
