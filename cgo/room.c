//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

#include "room.h"

#include <signal.h>
#include <stddef.h>

#include "machine.h"
#include "region.h"
#include "signals.h"

// Sanitizers know where a thread's stack is.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define STAYS true
#else
#define STAYS false
#endif

void room_run_blocked(struct room *r, void (*work)(void *), void *argument)
{
	if (STAYS || r == NULL || r->taken)
		return work(argument);
	r->taken = true;
	call_on(r->stack + sizeof r->stack, work, argument);
	r->taken = false;
}

bool room_fits(void)
{
	stack_t s;
	if (STAYS || !region_may_lack_pages())
		return true;
	return system_call(SYS_sigaltstack, 0, (long)&s, 0, 0) == 0 && (s.ss_flags & SS_ONSTACK) == 0;
}

bool room_run(struct room *r, void (*work)(void *), void *argument)
{
	if (r == NULL || r->taken) {
		work(argument);
		return true;
	}
	r->blocks = room_fits() && signals_block(&r->blocked);
	if (!r->blocks)
		return false;
	room_run_blocked(r, work, argument);
	room_leave(r);
	return true;
}

void room_leave(struct room *r)
{
	r->taken = false;
	if (r->blocks)
		signals_restore(r->blocked);
	r->blocks = false;
}
