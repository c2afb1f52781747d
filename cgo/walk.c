//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

#include "walk.h"

struct go_layout cgoheap_go;

bool walk_emit(struct walk *w, uintptr_t address, uint32_t module)
{
	if (w->depth == w->max)
		return false;
	w->frames[w->depth++] = (uint64_t)module << 48 | (address & 0xffffffffffffULL);
	return true;
}

enum end walk(struct walk *w)
{
	if (w->index == NULL)
		return END_STOPPED;
	enum end end;
	do {
		end = code_has(cgoheap_go.text, walk_site(w)) ? walk_go(w) : walk_c(w);
	} while (end == WALK_ON);
	return end;
}
