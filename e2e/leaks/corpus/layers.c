/* What takes memory through five layers of functions that allocate for others: who asked is to be named, and each by its own name. */
#include <stdlib.h>

#include "trial.h"

enum { SIZE = 1000, MOST = 1 << 15 };

static void *volatile requests[MOST], *volatile sessions[MOST], *volatile forgotten;

/* So that no layer is left out as the last call of the one above. */
static void *checked(void *block)
{
	if (!block)
		abort();
	return block;
}

static APART void *raw_malloc(size_t size) { return checked(malloc(size)); }
static APART void *tracked_malloc(size_t size) { return checked(raw_malloc(size)); }
static APART void *pool_zalloc(size_t size) { return checked(tracked_malloc(size)); }
static APART void *arena_take(size_t size) { return checked(pool_zalloc(size)); }
static APART void *new_buffer(size_t size) { return checked(arena_take(size)); }

static APART void *kept_for_request(void) { return COUNTED(new_buffer(SIZE), SIZE); }
static APART void *kept_for_session(void) { return COUNTED(new_buffer(SIZE), SIZE); }
static APART void *lost_reply(void) { return COUNTED(new_buffer(SIZE), SIZE); }

void layers(void)
{
	for (size_t i = 0; i < trial_number(SIZE) && i < MOST; i++) {
		requests[i] = kept_for_request();
		sessions[i] = kept_for_session();
		forgotten = lost_reply();
	}
	forgotten = NULL;
	trial_reads(requests);
	trial_reads(sessions);
	trial_held("kept_for_request", "global requests");
	trial_held("kept_for_session", "global sessions");
	trial_told("kept_for_request", "^`arena_take` .*`kept_for_request`.*reachable from global `requests .*`$");
	trial_told("kept_for_session", "^`arena_take` .*`kept_for_session`.*reachable from global `sessions .*`$");
	trial_told("lost_reply", "^`arena_take` .*`lost_reply`.*no pointer found to 100 %: lost, or its pointers are hidden$");
}
