//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

#define _GNU_SOURCE
#include "twin.h"

#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>

#include "areas.h"
#include "machine.h"
#include "mark.h"
#include "pinned.h"

// Waits until Go has said where the files are; false if the process is gone.
static bool wait_for_go(struct twin_task *task)
{
	struct timespec moment = {.tv_nsec = 100000};
	while (__atomic_load_n(&task->ready, __ATOMIC_ACQUIRE) == 0) {
		if (system_call(SYS_getppid, 0, 0, 0, 0) != (long)task->process)
			return false;
		system_call(SYS_nanosleep, (long)&moment, 0, 0, 0);
	}
	return true;
}

static bool pin(struct twin_task *task, const struct twin_heaps *heaps, const struct twin_block *blocks)
{
	struct twin_found *found = (void *)((char *)task + task->found);
	bool read = twin_pinned(heaps, blocks, found, task->count, task->pagemap, &task->pinned);
	if (!read)
		task->phase = TWIN_NO_AREAS;
	return read;
}

static void look(struct twin_task *task, uint64_t sp)
{
	const struct twin_block *blocks = (const void *)((const char *)task + task->blocks);
	struct twin_nodes nodes = {0};
	task->phase = TWIN_CHUNKS;
	struct twin_heaps heaps = {0};
	struct twin_maps maps = {0};
	if (!twin_maps_read(&maps, task->maps) || !twin_areas_touch(task, &maps)) {
		task->phase = TWIN_NO_AREAS;
		return;
	}
	if (!twin_heaps_find(&heaps, &task->malloc, &maps, blocks, task->count) || !twin_nodes_find(&nodes, &heaps, blocks, task->count)) {
		task->phase = TWIN_NO_MEMORY;
		return;
	}
	task->unknown = heaps.unknown;
	task->own = nodes.taken;
	task->phase = TWIN_ROOTS;
	if ((task->wants & TWIN_REACH) != 0 && !twin_mark(task, &maps, &heaps, &nodes, sp))
		return;
	task->phase = TWIN_PINS;
	if ((task->wants & TWIN_PINNED) != 0 && !pin(task, &heaps, blocks))
		return;
	__atomic_store_n(&task->phase, TWIN_DONE, __ATOMIC_RELEASE);
}

static _Noreturn void leave(void)
{
	for (;;)
		system_call(SYS_exit_group, 0, 0, 0, 0);
}

// Its frame is above all that the program's functions have on the stack.
static __attribute__((noinline)) _Noreturn void be_twin(struct twin_task *task, uint64_t sp)
{
	struct rlimit64 no_core = {1, 1}; // 0 would still pass a core to a program: core(5)
	system_call(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0);
	system_call(SYS_prlimit64, 0, RLIMIT_CORE, (long)&no_core, 0);
	allow_loads(task->capabilities);
	if (wait_for_go(task))
		look(task, sp);
	leave();
}

// With the process's table of files: a copy of the table would keep open what the program closes, and a copy's end closes files
// too, which file systems notice. Without a signal at its end, so that the program is not told of a child that it does not know.
#define CLONE_TWIN (CLONE_FILES | CLONE_UNTRACED)

__attribute__((noinline)) int twin_start(struct twin_task *task)
{
	uint64_t all = ~0ULL, before;
	__builtin_unwind_init(); // the registers of the callers are on the stack
	if (system_call(SYS_rt_sigprocmask, SIG_SETMASK, (long)&all, (long)&before, sizeof all) != 0)
		return -1;
	long pid = system_call6(SYS_clone, CLONE_TWIN, 0, 0, 0, 0, 0);
	if (pid == 0)
		be_twin(task, (uint64_t)__builtin_frame_address(0) - 256);
	system_call(SYS_rt_sigprocmask, SIG_SETMASK, (long)&before, 0, sizeof before);
	return (int)pid;
}
