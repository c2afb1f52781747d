//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

#define _GNU_SOURCE
#include "box.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "action.h"
#include "clock.h"
#include "ending.h"
#include "gate.h"
#include "machine.h"
#include "pages.h"
#include "region.h"
#include "shield.h"
#include "signals.h"

static struct {
	enum box_state state;
	bool installed;
	struct sigaction before; // the handler that ours stands before
	uint32_t spent;          // that one had SA_RESETHAND, and was called
	uint64_t page;           // the size of a page
	uint8_t *mended;         // a bit for each page of the file
	uint64_t mended_size;
	char header[sizeof(struct header)]; // as it was laid out; see complement
} box;
uint32_t cgoheap_box_busy;

_Static_assert(sizeof(struct header) % sizeof(uint64_t) == 0, "the header consists of words");

// Inverts each bit of a header. Its offsets look like addresses of blocks, and what looks for pointers to those reads this
// program's variables.
static void complement(void *to, const void *from)
{
	uint64_t word;
	for (size_t at = 0; at < sizeof(struct header); at += sizeof word) {
		memcpy(&word, (const char *)from + at, sizeof word);
		word = ~word;
		memcpy((char *)to + at, &word, sizeof word);
	}
}

enum box_state box_state(void)
{
	return __atomic_load_n(&box.state, __ATOMIC_SEQ_CST);
}

static void set(enum box_state s)
{
	__atomic_store_n(&box.state, s, __ATOMIC_SEQ_CST);
}

// Handlers of other signals do not run meanwhile, so no thread waits for itself. But the one that has it may be stopped, or may
// not run because of this one, which has a higher priority: it waits for GATE_PAUSE at most, and sleeps meanwhile.
static bool lock(void)
{
	for (long pause = 10000; __atomic_exchange_n(&cgoheap_box_busy, 1, __ATOMIC_ACQUIRE) != 0; pause *= 2) {
		if (pause > GATE_PAUSE / 2)
			return false;
		clock_pause(pause);
	}
	return true;
}

static void unlock(void)
{
	__atomic_store_n(&cgoheap_box_busy, 0, __ATOMIC_RELEASE);
}

static void *map_at(uintptr_t at, long flags)
{
	long mapped = system_call6(SYS_mmap, (long)at, (long)box.page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
	return mapped < 0 && mapped > -4096 ? NULL : (void *)mapped;
}

// The first page has the header, which says where all the rest lies, as it was laid out, with nothing recorded.
static bool replace_header(uintptr_t page)
{
	void *copy = map_at(0, 0);
	if (copy == NULL)
		return false;
	complement(copy, box.header);
	return system_call6(SYS_mremap, (long)copy, (long)box.page, (long)box.page, MREMAP_MAYMOVE | MREMAP_FIXED, (long)page, 0) == (long)page;
}

static bool replace(uintptr_t page, uint64_t offset)
{
	return offset == 0 ? replace_header(page) : map_at(page, MAP_FIXED) != NULL;
}

// What the hooks that are inside would find in new pages may lead them anywhere. They land as soon as they touch one that is gone,
// and none begins any more. One whose thread is stopped is not waited for.
static void await_hooks(void)
{
	for (int i = 0; i < 10000 && gate_crowd() != 0; i++)
		clock_pause(100000);
}

// Puts memory in the place of a page that the file never had, and tells those that will read the file. False if the kernel
// refuses, or another thread is at it and does not end.
static bool put_memory(uint64_t offset)
{
	uint64_t number = offset / box.page;
	uint8_t *byte = &box.mended[number / 8], bit = (uint8_t)(1 << number % 8);
	if (!lock())
		return false;
	bool put = (*byte & bit) != 0; // by another thread
	if (!put && replace((uintptr_t)cgoheap_region + offset, offset)) {
		put = true;
		*byte |= bit;
		(void)region_add_one(&cgoheap_region->missing); // the header's page may be one that cannot be had
	}
	unlock();
	return put;
}

static __attribute__((noreturn, noinline)) void land(struct shield *s)
{
	LAND(s->landing);
}

// A page that memory has no room for. One that was there, and cannot be read any more, has another code.
static bool has_no_room(int code)
{
	return code == BUS_ADRERR && box_state() != BOX_LOST && region_file_is_whole();
}

static bool mend(uintptr_t address, int code, ucontext_t *context)
{
	uint64_t offset = address - (uintptr_t)cgoheap_region;
	if (box_state() == BOX_NONE || offset >= cgoheap_file_size)
		return false;
	offset -= offset % box.page;
	if (has_no_room(code)) {
		enum box_state whole = BOX_WHOLE;
		__atomic_compare_exchange_n(&box.state, &whole, BOX_FULL, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
		if (put_memory(offset))
			return true;
	}
	gate_forsake();
	set(BOX_LOST);
	if (cgoheap_thread.shield != NULL) {
		GO_ON_IN(context, land, cgoheap_thread.shield);
		return true;
	}
	await_hooks();
	return replace((uintptr_t)cgoheap_region + offset, offset);
}

static bool is_sent(const siginfo_t *info)
{
	return info->si_code <= 0 || info->si_code == BUS_MCEERR_AO;
}

// Has the thread die of the signal as soon as it goes on where it was interrupted, with what the kernel reported of it.
static void die(int signal, siginfo_t *info)
{
	const uint64_t all = ~0ULL;
	const uint64_t none[8] = {0}; // the default action, in the kernel's struct
	long pid = system_call(SYS_getpid, 0, 0, 0, 0), tid = system_call(SYS_gettid, 0, 0, 0, 0);
	system_call(SYS_rt_sigprocmask, SIG_SETMASK, (long)&all, 0, sizeof all);
	system_call(SYS_rt_sigaction, signal, (long)none, 0, sizeof all);
	if (system_call(SYS_rt_tgsigqueueinfo, pid, tid, signal, (long)info) != 0)
		system_call(SYS_tgkill, pid, tid, signal, 0);
}

// Has the signal do what it did before. Ours was installed with the mask and the flags of the one before, so the kernel has
// prepared all that this one expects; it passes three arguments to each handler.
static void pass_on(int signal, siginfo_t *info, void *context)
{
	const struct sigaction *before = &box.before;
	bool handled = before->sa_handler != SIG_DFL && before->sa_handler != SIG_IGN;
	if (handled && (before->sa_flags & SA_RESETHAND) != 0)
		handled = __atomic_exchange_n(&box.spent, 1, __ATOMIC_ACQ_REL) == 0;
	if (handled)
		before->sa_sigaction(signal, info, context);
	else if (before->sa_handler != SIG_IGN || !is_sent(info)) // what a thread causes itself cannot be ignored
		die(signal, info);
}

// Whether the thread blocks the signal, and only a shield has unblocked it.
static bool is_blocked(void)
{
	const struct shield *s = cgoheap_thread.shield;
	while (s != NULL && !s->blocked)
		s = s->outer;
	return s != NULL;
}

// If the thread blocks the signal, makes it pend again for those that wait for it, and the interrupted hook loses its shield.
static bool send_back(int signal, siginfo_t *info, ucontext_t *context)
{
	if (!is_blocked())
		return false;
	long pid = system_call(SYS_getpid, 0, 0, 0, 0);
	sigaddset(&context->uc_sigmask, signal);
	uint64_t bus = SIGNAL_BIT(signal);
	system_call(SYS_rt_sigprocmask, SIG_BLOCK, (long)&bus, 0, sizeof bus);
	if (info->si_code == SI_TKILL)
		system_call(SYS_rt_tgsigqueueinfo, pid, system_call(SYS_gettid, 0, 0, 0, 0), signal, (long)info);
	else
		system_call(SYS_rt_sigqueueinfo, pid, signal, (long)info, 0);
	return true;
}

// No handler runs meanwhile, whatever the mask of the one before is.
static bool mend_alone(const siginfo_t *info, ucontext_t *context)
{
	const uint64_t all = ~0ULL;
	uint64_t before;
	bool blocked = system_call(SYS_rt_sigprocmask, SIG_SETMASK, (long)&all, (long)&before, sizeof all) == 0;
	bool mended = mend((uintptr_t)info->si_addr, info->si_code, context);
	if (blocked)
		signals_restore(before);
	return mended;
}

static void on_bus(int signal, siginfo_t *info, void *context)
{
	int error = errno;
	bool done = is_sent(info) ? send_back(signal, info, context) : mend_alone(info, context);
	if (!done)
		ending_note(signal, info);
	errno = error;
	if (!done)
		pass_on(signal, info, context);
}

static bool is_ours(const struct sigaction *a)
{
	return (a->sa_flags & SA_SIGINFO) != 0 && a->sa_sigaction == on_bus;
}

// Ours stays when the kernel would remove the one before: see pass_on.
static struct sigaction ours_before(const struct sigaction *before)
{
	struct sigaction ours = {.sa_flags = SA_ONSTACK | SA_RESTART};
	if (before->sa_handler != SIG_DFL && before->sa_handler != SIG_IGN)
		ours = *before;
	ours.sa_flags = (ours.sa_flags & ~SA_RESETHAND) | SA_SIGINFO;
	ours.sa_sigaction = on_bus;
	return ours;
}

// One that was left behind because another stood before it is still called by that.
static int install(void)
{
	if (box.installed)
		return 0;
	if (!action_of(SIGBUS, &box.before))
		return errno;
	struct sigaction ours = ours_before(&box.before);
	box.spent = 0;
	box.installed = sigaction(SIGBUS, &ours, NULL) == 0;
	return box.installed ? 0 : errno;
}

static void uninstall(void)
{
	struct sigaction now, before = box.before;
	if (box.spent != 0)
		before.sa_handler = SIG_DFL;
	if (sigaction(SIGBUS, NULL, &now) == 0 && is_ours(&now))
		box.installed = sigaction(SIGBUS, &before, NULL) != 0;
}

int box_open(void)
{
	uint64_t page = getauxval(AT_PAGESZ), size = (cgoheap_file_size / page + 7) / 8;
	if (size < PAGES_LARGEST)
		size = PAGES_LARGEST;
	uint8_t *bits = pages_map(size);
	int failed = bits == NULL ? errno : install();
	if (failed != 0) {
		if (bits != NULL)
			pages_unmap(bits, size);
		return failed;
	}
	box.page = page;
	box.mended = bits;
	box.mended_size = size;
	complement(box.header, &(struct header){0});
	set(BOX_WHOLE);
	__atomic_store_n(&cgoheap_boxed, 1, __ATOMIC_SEQ_CST);
	return 0;
}

void box_laid_out(void)
{
	complement(box.header, cgoheap_region);
}

void box_close(void)
{
	if (box_state() == BOX_NONE)
		return;
	__atomic_store_n(&cgoheap_boxed, 0, __ATOMIC_SEQ_CST);
	set(BOX_NONE);
	uninstall();
	pages_unmap(box.mended, box.mended_size);
}
