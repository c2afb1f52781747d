//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

#include "shield.h"

#include <signal.h>
#include <sys/syscall.h>

#include "machine.h"
#include "scratch.h"
#include "signals.h"

uint32_t cgoheap_boxed;

void shield_raise(struct shield *s)
{
	uint64_t bus = SIGNAL_BIT(SIGBUS), before = 0;
	s->blocked = system_call(SYS_rt_sigprocmask, SIG_UNBLOCK, (long)&bus, (long)&before, sizeof before) == 0 && (before & bus) != 0;
	s->inside = 0;
	s->before = cgoheap_thread.inside;
	s->outer = cgoheap_thread.shield;
	cgoheap_thread.shield = s;
}

void shield_leave(struct shield *s)
{
	if (s->inside != 0) {
		struct scratch *scratch = scratch_of(s->inside - 1);
		memory_leave(&scratch->copy);
		room_leave(&scratch->room);
		gate_vacate((struct pass){.slot = s->inside - 1});
	}
	cgoheap_thread.inside = s->before;
}

void shield_lower(struct shield *s)
{
	cgoheap_thread.shield = s->outer;
	if (s->blocked) {
		uint64_t bus = SIGNAL_BIT(SIGBUS);
		system_call(SYS_rt_sigprocmask, SIG_BLOCK, (long)&bus, 0, sizeof bus);
	}
}
