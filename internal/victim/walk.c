#include <string.h>
#include <unwind.h>

#include "victim.h"
#include "walk.h"

/* Package cgo has it. Weak, so that this package can be linked without. */
extern size_t cgoheap_walk(uintptr_t *pcs, size_t max) __attribute__((weak));

static struct victim_walks kept;

struct trace {
	uintptr_t *pcs;
	size_t depth;
};

static _Unwind_Reason_Code append(struct _Unwind_Context *context, void *argument)
{
	struct trace *trace = argument;
	int exact = 0;
	uintptr_t pc = _Unwind_GetIPInfo(context, &exact);
	if (pc && trace->depth < VICTIM_DEEPEST)
		trace->pcs[trace->depth++] = exact ? pc : pc - 1;
	return _URC_NO_REASON;
}

static int differ(const struct victim_walks *walks)
{
	size_t depth = walks->ours_depth < walks->theirs_depth ? walks->ours_depth : walks->theirs_depth;
	return memcmp(walks->ours, walks->theirs, depth * sizeof *walks->ours) != 0;
}

/* The walks begin at two calls of one function, so its own frame is left out of both. */
static void drop_leaf(uintptr_t *pcs, size_t *depth)
{
	if (*depth)
		memmove(pcs, pcs + 1, --*depth * sizeof *pcs);
}

VICTIM_SITE void victim_walk_both(void)
{
	static struct victim_walks now;
	struct trace trace = {now.theirs, 0};
	_Unwind_Backtrace(append, &trace);
	now.theirs_depth = trace.depth;
	now.ours_depth = cgoheap_walk ? cgoheap_walk(now.ours, VICTIM_DEEPEST) : 0;
	drop_leaf(now.theirs, &now.theirs_depth);
	drop_leaf(now.ours, &now.ours_depth);
	now.calls = kept.calls + 1;
	if (differ(&kept))
		kept.calls = now.calls;
	else
		kept = now;
}

void victim_walks_forget(void)
{
	memset(&kept, 0, sizeof kept);
}

const struct victim_walks *victim_walks_kept(void)
{
	return &kept;
}
