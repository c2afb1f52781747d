//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

#include "go.h"

struct scanning {
	const struct twin_go *go;
	const struct twin_kept *but;
	twin_scan *scan;
	void *arg;
	bool smallest; // Go's smallest objects are wanted, and no others
};

static bool is_wanted(const struct scanning *in, const struct go_span *s, uint32_t object)
{
	uint64_t at = s->start + object * s->size;
	return go_allocated(s, object) && !twin_go_is_processor(in->go, at, at + s->size) && (in->but->bits == NULL || s->bits == 0 || !twin_go_kept(in->but, at, false));
}

// Calls scan for each run of wanted objects.
static void scan_span(const struct scanning *in, const struct go_span *s)
{
	for (uint32_t i = 0, from; i < s->objects; i++) {
		for (from = i; i < s->objects && is_wanted(in, s, i);)
			i++;
		if (i > from)
			in->scan(in->arg, s->start + from * s->size, s->start + i * s->size, TWIN_ROOT_GO_HEAP | (in->smallest ? TWIN_ROOT_SMALLEST : 0));
	}
}

// Spans that began in an earlier arena were scanned there.
static void scan_arena(void *arg, uint64_t start, uint64_t limit)
{
	const struct scanning *in = arg;
	for (uint64_t at = start; at < limit;) {
		struct go_span s;
		enum go_span_kind kind = go_span(in->go, at, &s);
		if (kind == GO_SPAN_OBJECTS && s.start >= start && go_has_smallest(in->go, s.at) == in->smallest)
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

bool twin_go_scan(const struct twin_go *go, const struct twin_kept *but, twin_scan *scan, void *arg)
{
	struct scanning in = {go, but, scan, arg, false};
	return twin_go_arenas(go, scan_arena, &in) && (but->bits != NULL || twin_go_goroutines(go, scan_stack, &in));
}

bool twin_go_scan_smallest(const struct twin_go *go, twin_scan *scan, void *arg)
{
	struct twin_kept none = {0};
	struct scanning in = {go, &none, scan, arg, true};
	return twin_go_arenas(go, scan_arena, &in);
}
