/* A service that does not write to the first words of its sessions, so that what malloc left there remains: the links of its lists of
 * free chunks, to headers that are now behind lost blocks. */
#include <stdlib.h>
#include <string.h>

#include "trial.h"

enum { SLOTS = 1 << 12, LEAST = 1000, MORE = 4000, EACH = 16, SIZE = 700, UNWRITTEN = 64 };

static void *sessions[SLOTS];
static size_t sizes[SLOTS];

static APART void *kept_unwritten(size_t size) { return COUNTED(malloc(size), size); }
static APART void *lost_between(void) { return COUNTED(malloc(SIZE), SIZE); }

static unsigned next_random(unsigned *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

static void open_session(unsigned slot, size_t size)
{
	if (sessions[slot] != NULL) {
		free(sessions[slot]);
		trial_uncounted("kept_unwritten", sizes[slot]);
	}
	sizes[slot] = size;
	sessions[slot] = kept_unwritten(size);
	memset((char *)sessions[slot] + UNWRITTEN, 1, size - UNWRITTEN);
}

void unwritten(void)
{
	unsigned state = 1;
	for (size_t i = 0; i < trial_number(SIZE); i++) {
		for (int j = 0; j < EACH; j++) {
			unsigned slot = next_random(&state) % SLOTS;
			open_session(slot, LEAST + next_random(&state) % MORE);
		}
		memset(lost_between(), 1, SIZE);
	}
	trial_reads(sessions);
	trial_held("kept_unwritten", "global sessions");
}
