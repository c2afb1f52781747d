//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

#include "walk.h"

#include "region.h"

void walk_by_current(struct walk *w)
{
	uint64_t index = __atomic_load_n(&cgoheap_region->index, __ATOMIC_ACQUIRE);
	w->index = index == 0 ? NULL : region_at(index);
	w->stale = w->index != NULL && loads_since(&w->index->loads);
}

enum end walk(struct walk *w)
{
	if (w->index == NULL)
		return END_STOPPED;
	if (w->memory.narrow)
		return END_NO_ROOM;
	enum end end;
	do
		end = walk_find_go(w) ? walk_go(w) : walk_c(w);
	while (end == WALK_ON);
	return end;
}
