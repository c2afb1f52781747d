//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

#include "twin_go.h"

struct scanning {
	const struct twin_go *go;
	const struct twin_kept *only, *but; // which objects are wanted; NULL: all, none
	twin_scan *scan;
	void *arg;
};

static bool is_in(const struct scanning *in, uint64_t at, uint64_t size)
{
	return !twin_go_is_processor(in->go, at, at + size) && (in->only == NULL || twin_go_is_kept(in->only, at)) && (in->but == NULL || !twin_go_is_kept(in->but, at));
}

static bool is_wanted(const struct scanning *in, const struct go_span *s, uint32_t object)
{
	return go_allocated(s, object) && is_in(in, s->start + object * s->size, s->size);
}

// A span that counts as one object, because it is being filled: those of its places that are wanted, or in the end all of it.
static void scan_filled(const struct scanning *in, const struct go_span *s)
{
	uint64_t size = go_word(s->at + in->go->span.size), limit = s->start + s->pages * GO_PAGE;
	if (in->only == NULL && !twin_go_is_processor(in->go, s->start, limit))
		in->scan(in->arg, s->start, limit, TWIN_ROOT_GO_HEAP);
	for (uint64_t at = s->start; in->only != NULL && size != 0 && at + size <= limit; at += size)
		if (is_in(in, at, size))
			in->scan(in->arg, at, at + size, TWIN_ROOT_GO_HEAP);
}

// Calls scan for each run of wanted objects.
static void scan_span(const struct scanning *in, const struct go_span *s)
{
	if (s->bits == 0) {
		scan_filled(in, s);
		return;
	}
	for (uint32_t i = 0, from; i < s->objects; i++) {
		for (from = i; i < s->objects && is_wanted(in, s, i);)
			i++;
		if (i > from)
			in->scan(in->arg, s->start + from * s->size, s->start + i * s->size, TWIN_ROOT_GO_HEAP);
	}
}

// Spans that began in an earlier arena were scanned there.
static void scan_arena(void *arg, uint64_t start, uint64_t limit)
{
	const struct scanning *in = arg;
	for (uint64_t at = start; at < limit;) {
		struct go_span s;
		enum go_span_kind kind = go_span(in->go, at, &s);
		if (kind == GO_SPAN_OBJECTS && s.start >= start)
			scan_span(in, &s);
		at = kind == GO_SPAN_NONE ? at + GO_PAGE : s.start + s.pages * GO_PAGE;
	}
}

static bool scan_stack(void *arg, const struct twin_goroutine *g)
{
	const struct scanning *in = arg;
	if (g->used < g->hi)
		in->scan(in->arg, g->used, g->hi, TWIN_ROOT_GO_STACK);
	return true;
}

static bool scan_heap(struct scanning *in, const struct twin_kept *only, const struct twin_kept *but)
{
	in->only = only;
	in->but = but;
	return twin_go_arenas(in->go, scan_arena, in);
}

bool twin_go_scan(const struct twin_go *go, const struct twin_kept kept[2], twin_scan *scan, void *arg)
{
	struct scanning in = {go, NULL, NULL, scan, arg};
	const struct twin_kept *by_variables = kept != NULL && kept[0].bits != NULL ? &kept[0] : NULL, *all = by_variables != NULL && kept[1].bits != NULL ? &kept[1] : NULL;
	if (!scan_heap(&in, by_variables, NULL) || !twin_go_goroutines(go, scan_stack, &in))
		return false;
	if (all != NULL && !scan_heap(&in, all, by_variables))
		return false;
	return by_variables == NULL || scan_heap(&in, NULL, all != NULL ? all : by_variables);
}

bool twin_go_object(const struct twin_go *go, uint64_t address, struct twin_object *object)
{
	struct go_span s;
	if (go_span(go, address, &s) != GO_SPAN_OBJECTS)
		return false;
	uint64_t i = (address - s.start) / s.size;
	*object = (struct twin_object){s.start + i * s.size, s.size};
	return i < s.objects && go_allocated(&s, (uint32_t)i);
}
