//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

#include "walk.h"

#include "region.h"

struct go_layout cgoheap_go;

void walk_by_current(struct walk *w)
{
	uint64_t index = __atomic_load_n(&cgoheap_region->index, __ATOMIC_ACQUIRE);
	w->index = index == 0 ? NULL : region_at(index);
	w->stale = w->index != NULL && loads_since(&w->index->loads);
}

bool walk_find_plugin(struct walk *w)
{
	const struct range *range = index_find(w->index, walk_call_site(w));
	const struct go_code *go = range == NULL || range->go == 0 ? NULL : region_at(range->go);
	if (go == NULL || !code_has(go->text, walk_call_site(w)))
		return false;
	w->go = go;
	w->go_module = go->module;
	return true;
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
