/* The only pointer to a block is overwritten. */
#include <stdlib.h>

#include "trial.h"

enum { SIZE = 1000, MOST = 1 << 15 };

static void *volatile last;
static void *all[MOST];

static APART void *lost_singly(void) { return COUNTED(malloc(SIZE), SIZE); }
static APART void *kept_singly(void) { return COUNTED(malloc(SIZE), SIZE); }

void singly(void)
{
	for (size_t i = 0; i < trial_number(SIZE) && i < MOST; i++) {
		last = lost_singly();
		all[i] = kept_singly();
	}
	last = NULL;
	trial_reads(all);
	trial_held("kept_singly", "global all");
}
