// What a signal does, as a variable may keep it.
#ifndef CGOHEAP_ACTION_H
#define CGOHEAP_ACTION_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// Reads what a signal does. libc leaves words of its stack in the part of the mask that the kernel does not have. In a variable,
// they would seem to point to blocks of the program, for good. False, and errno, if the kernel refuses.
static inline bool action_of(int number, struct sigaction *action)
{
	struct sigaction now;
	if (sigaction(number, NULL, &now) != 0)
		return false;
	memset((char *)&now.sa_mask + sizeof(uint64_t), 0, sizeof now.sa_mask - sizeof(uint64_t));
	*action = now;
	return true;
}

// Replaces what a signal does if it is what the caller expects; false, and all is as it was, if it is not.
static inline bool action_replace(int number, const struct sigaction *expected, const struct sigaction *next)
{
	struct sigaction was;
	if (!action_of(number, &was) || was.sa_handler != expected->sa_handler || sigaction(number, next, &was) != 0)
		return false;
	if (was.sa_handler == expected->sa_handler)
		return true;
	(void)sigaction(number, &was, NULL); // another thread was faster
	return false;
}

#endif
