#include "levels.h"

typedef void function(void *);

__attribute__((noinline)) static void level0(function *bottom, void *argument)
{
	bottom(argument);
	STAY;
}

// Levels are functions of their own, with frames of different sizes, so that a walk does not meet the same rule each time.
#define LEVEL(n, below)                                                                                                \
	__attribute__((noinline)) static void level##n(function *bottom, void *argument)                                \
	{                                                                                                              \
		FRAME(16 + n % 7 * 24);                                                                                \
		below(bottom, argument);                                                                               \
		STAY;                                                                                                  \
	}
#define LEVELS(a, b, c, d, e, f, g, h, below)                                                                          \
	LEVEL(a, below) LEVEL(b, level##a) LEVEL(c, level##b) LEVEL(d, level##c)                                       \
	LEVEL(e, level##d) LEVEL(f, level##e) LEVEL(g, level##f) LEVEL(h, level##g)

LEVELS(1, 2, 3, 4, 5, 6, 7, 8, level0)
LEVELS(9, 10, 11, 12, 13, 14, 15, 16, level8)
LEVELS(17, 18, 19, 20, 21, 22, 23, 24, level16)
LEVELS(25, 26, 27, 28, 29, 30, 31, 32, level24)
LEVELS(33, 34, 35, 36, 37, 38, 39, 40, level32)
LEVELS(41, 42, 43, 44, 45, 46, 47, 48, level40)
LEVELS(49, 50, 51, 52, 53, 54, 55, 56, level48)
LEVELS(57, 58, 59, 60, 61, 62, 63, 64, level56)

#define NAMES(a, b, c, d, e, f, g, h) level##a, level##b, level##c, level##d, level##e, level##f, level##g, level##h

static void (*const levels[DEEPEST + 1])(function *, void *) = {
	level0,
	NAMES(1, 2, 3, 4, 5, 6, 7, 8),
	NAMES(9, 10, 11, 12, 13, 14, 15, 16),
	NAMES(17, 18, 19, 20, 21, 22, 23, 24),
	NAMES(25, 26, 27, 28, 29, 30, 31, 32),
	NAMES(33, 34, 35, 36, 37, 38, 39, 40),
	NAMES(41, 42, 43, 44, 45, 46, 47, 48),
	NAMES(49, 50, 51, 52, 53, 54, 55, 56),
	NAMES(57, 58, 59, 60, 61, 62, 63, 64),
};

void levels_down(long depth, function *bottom, void *argument)
{
	levels[depth](bottom, argument);
}
