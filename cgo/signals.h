// Keeps handlers of signals away for a moment.
#ifndef CGOHEAP_SIGNALS_H
#define CGOHEAP_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>

#include "machine.h"

#define SIGNAL_BIT(signal) (1ULL << ((signal) - 1))

// Signals that the thread itself causes. The kernel ends a process that blocks one and causes it.
#define SIGNALS_CAUSED                                                                                                 \
	(SIGNAL_BIT(SIGSEGV) | SIGNAL_BIT(SIGBUS) | SIGNAL_BIT(SIGFPE) | SIGNAL_BIT(SIGILL) | SIGNAL_BIT(SIGTRAP) | SIGNAL_BIT(SIGSYS))

// Blocks all other signals in the calling thread, libc's own included; before becomes the set that was blocked until now. What the
// program blocks stays blocked: it may wait for a signal that is pending. False if the kernel refuses.
static inline bool signals_block(uint64_t *before)
{
	uint64_t others = ~SIGNALS_CAUSED;
	return system_call(SYS_rt_sigprocmask, SIG_BLOCK, (long)&others, (long)before, sizeof *before) == 0;
}

static inline void signals_restore(uint64_t before)
{
	system_call(SYS_rt_sigprocmask, SIG_SETMASK, (long)&before, 0, sizeof before);
}

#endif
