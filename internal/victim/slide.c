#include <alloca.h>
#include <stdlib.h>

#include "victim.h"

#define ROOM 1024

VICTIM_SITE static void *slide_leaf(size_t size)
{
	void *p = malloc(size);
	VICTIM_USE(p);
	return p;
}

/* Its room keeps what calls before it left there. */
VICTIM_SITE static void *slide(size_t room, size_t size)
{
	void *unwritten = alloca(room);
	__asm__ volatile("" : : "r"(unwritten));
	void *p = slide_leaf(size);
	VICTIM_USE(unwritten);
	return p;
}

#define SLIDE(side, above)                                                                                             \
	VICTIM_SITE void *victim_slide_##side(size_t size)                                                             \
	{                                                                                                              \
		volatile size_t room = above;                                                                          \
		void *unwritten = alloca(room);                                                                        \
		__asm__ volatile("" : : "r"(unwritten));                                                               \
		void *p = slide(ROOM - room, size);                                                                    \
		VICTIM_USE(unwritten);                                                                                 \
		return p;                                                                                              \
	}
SLIDE(left, 64)
SLIDE(right, 640)
