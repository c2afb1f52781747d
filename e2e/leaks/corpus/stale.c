/* Copies of pointers are left in memory that is not in use any more: below a stack's end, in freed blocks, on the stack of a
 * thread that has ended, in memory that was unmapped. */
#include <stdlib.h>

#include "trial.h"

enum { SIZE = 8000, MOST = 1 << 12, DEEP = 64 << 10 };

static void *kept[MOST];

static APART void *lost_below_stack(void) { return COUNTED(malloc(SIZE), SIZE); }
static APART void *lost_in_freed(void) { return COUNTED(malloc(SIZE), SIZE); }
static APART void *lost_with_thread(void) { return COUNTED(malloc(SIZE), SIZE); }
static APART void *kept_while_others_are_lost(void) { return COUNTED(malloc(SIZE), SIZE); }

static size_t number(void)
{
	size_t wanted = trial_number(SIZE);
	return wanted < MOST ? wanted : MOST;
}

static APART void leave_on_stack(void)
{
	void *pointers[MOST];
	for (size_t i = 0; i < number(); i++)
		pointers[i] = lost_below_stack();
	trial_reads(pointers);
}

/* Later calls do not overwrite what lies so deep. */
static APART void leave_deep_on_stack(void)
{
	char above[DEEP] = {0};
	trial_reads(above);
	leave_on_stack();
	trial_reads(above);
}

/* The first words of a freed block belong to malloc, so the pointers begin behind them. Blocks behind the freed ones are in use. */
static void leave_in_freed(void)
{
	enum { AHEAD = 8, EACH = 100 };
	static void *behind[MOST / EACH + 1];
	for (size_t i = 0; i < number(); i += EACH) {
		void **holder = malloc((AHEAD + EACH) * sizeof *holder);
		for (size_t at = 0; at < EACH && i + at < number(); at++)
			holder[AHEAD + at] = lost_in_freed();
		behind[i / EACH] = malloc(100);
		trial_reads(holder);
		free(holder);
	}
	trial_reads(behind);
}

static __thread void *volatile of_thread[MOST];

static void leave_with_thread(void)
{
	void *pointers[MOST];
	for (size_t i = 0; i < number(); i++)
		of_thread[i] = pointers[i] = lost_with_thread();
	trial_reads(pointers);
}

void stale(void)
{
	leave_deep_on_stack();
	leave_in_freed();
	trial_thread_ends(leave_with_thread);
	for (size_t i = 0; i < number(); i++)
		kept[i] = kept_while_others_are_lost();
	trial_reads(kept);
	trial_held("kept_while_others_are_lost", "global kept");
}
