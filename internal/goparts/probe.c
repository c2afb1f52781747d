//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

#include "probe.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>

#include "../twin/machine.h"

static void note(void *arg, uint64_t start, uint64_t limit, uint32_t root)
{
	struct probe_twin *p = arg;
	if (p->parts < p->room)
		p->part[p->parts] = (struct probe_part){start, limit, root};
	p->parts++;
}

static void count(void *arg, uint64_t start, uint64_t limit)
{
	struct probe_twin *p = arg;
	p->arenas += start < limit;
}

static void answer(struct probe_twin *p)
{
	struct twin_goroutines all;
	bool known = twin_go_index(&p->go, &all);
	for (uint64_t i = 0; i < p->asked; i++) {
		const struct twin_goroutine *g = known ? twin_go_goroutine(&all, p->stacks[i].address) : NULL;
		if (g != NULL)
			p->stacks[i].found = *g;
	}
	twin_go_forget(&all);
	if (!twin_go_arenas(&p->go, count, p))
		p->arenas = ~0ULL;
	if (!twin_go_scan(&p->go, &(struct twin_kept){0}, note, p) || !twin_go_scan_smallest(&p->go, note, p))
		p->parts = ~0ULL;
}

#define WAIT_FOR_ALL 0x40000000 // __WALL: the copy sends no signal when it ends

int probe_twin(struct probe_twin *p)
{
	uint64_t none = ~0ULL, before;
	long failed = system_call(SYS_rt_sigprocmask, SIG_SETMASK, (long)&none, (long)&before, 8);
	if (failed != 0)
		return (int)failed;
	long child = system_call6(SYS_clone, 0, 0, 0, 0, 0, 0);
	if (child == 0) {
		answer(p);
		system_call(SYS_exit_group, 0, 0, 0, 0);
	}
	failed = system_call(SYS_rt_sigprocmask, SIG_SETMASK, (long)&before, 0, 8);
	if (child < 0)
		return (int)child;
	int status = 0;
	long waited;
	do
		waited = system_call(SYS_wait4, child, (long)&status, WAIT_FOR_ALL, 0);
	while (waited == -EINTR);
	return waited < 0 ? (int)waited : failed != 0 ? (int)failed : status;
}
