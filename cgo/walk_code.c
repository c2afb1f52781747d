//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

// What is known of the code that a walk is in: whether it is Go's, its rule, and where it makes calls.

#include "lookup.h"
#include "objects.h"
#include "region.h"
#include "walk.h"

struct go_layout cgoheap_go;

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

// Looks a call site up in libraries that were opened after the index was made. A walk that meets one is not kept as a last walk.
static const struct rule *look_up_object(struct walk *w, uintptr_t call_site, uint32_t *number)
{
	struct object_code code = {.pc = call_site};
	*number = code.number = object_at(call_site, &w->index->loads, &w->memory, &code.object);
	if (*number == 0)
		return NULL;
	w->met = w->memory.unfit = true;
	return object_rule(&code, &w->memory, &w->buffer.rule) ? &w->buffer.rule : NULL;
}

// A stale index is not trusted for libraries that may have been unloaded.
const struct rule *walk_look_up(struct walk *w, uintptr_t call_site, uint32_t *module)
{
	w->buffer.memory = &w->memory;
	const struct rule *r = index_look_up(w->index, call_site, module, &w->buffer);
	if (r != NULL && !w->stale)
		return r;
	const struct range *range = r == NULL ? NULL : index_find(w->index, call_site);
	if (range != NULL && !range->closable)
		return r;
	return look_up_object(w, call_site, module);
}

// Whether a call stands before pc; returns otherwise if the code cannot be read. The code may be unmapped, or its file
// truncated, so the kernel copies it.
static bool call_before(struct walk *w, uintptr_t pc, bool otherwise)
{
	uint64_t copy[2];
	uintptr_t from = pc - LONGEST_CALL, to = (uintptr_t)copy + from % 8; // as aligned as the code
	if (!memory_copy(&w->memory, from, (void *)to, LONGEST_CALL))
		return otherwise;
	__asm__("" : "+r"(to) : : "memory"); // the bytes are read as code
	return follows_call(to + LONGEST_CALL);
}

bool walk_called(struct walk *w, uintptr_t pc)
{
	w->memory.unfit = true; // by the next walk, other code may be there
	return call_before(w, pc, false);
}

bool walk_follows_call(struct walk *w, uintptr_t pc)
{
	const struct range *range = index_find(w->index, pc - 1);
	if (range != NULL && range->module == MODULE_MADE)
		return walk_called(w, pc);
	return range == NULL || pc - range->start < LONGEST_CALL || call_before(w, pc, true);
}

bool walk_may_return_to(struct walk *w, uintptr_t pc)
{
	const struct object *object;
	if (index_find(w->index, pc - 1) != NULL)
		return walk_follows_call(w, pc);
	return object_at(pc - 1, &w->index->loads, &w->memory, &object) != 0 && walk_called(w, pc);
}
