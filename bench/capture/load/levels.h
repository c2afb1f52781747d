// Calls of C, one below the other.
#ifndef LEVELS_H
#define LEVELS_H

// A frame of its own, of this many bytes at least, and not a jump to the next function.
#define FRAME(bytes)                                                                                                   \
	char room[bytes];                                                                                              \
	__asm__ volatile("" : : "r"(room) : "memory")
#define STAY __asm__ volatile("")

enum { DEEPEST = 64 };

// Calls bottom(argument) below depth calls, at most DEEPEST.
void levels_down(long depth, void (*bottom)(void *), void *argument);

#endif
