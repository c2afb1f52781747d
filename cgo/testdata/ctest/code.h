// Code that a test makes up, of which only the calls are looked at.
#ifndef CODE_H
#define CODE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

// Puts a call before pc, or nothing that looks like one.
static inline uintptr_t code_at(uint8_t *pc, bool call)
{
	memset(pc - 16, 0, 16);
#if defined(__aarch64__)
	const uint32_t bl = 0x94000000;
	if (call)
		memcpy(pc - 4, &bl, 4);
#else
	pc[-5] = call ? 0xe8 : 0;
#endif
	return (uintptr_t)pc;
}

#endif
