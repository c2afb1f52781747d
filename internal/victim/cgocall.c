#include <stdlib.h>

#include "_cgo_export.h"
#include "victim.h"

VICTIM_SITE void victim_call_go(uintptr_t run)
{
	victimRunGo(run);
	VICTIM_USE(run);
}

/* Both blocks come from one function and one goroutine, whose stack the Go function may have moved in between. */
VICTIM_SITE struct victim_pair victim_malloc_around_go(uintptr_t run, size_t size)
{
	struct victim_pair pair;
	pair.first = malloc(size);
	victimRunGo(run);
	pair.second = malloc(size);
	VICTIM_USE(&pair);
	return pair;
}
