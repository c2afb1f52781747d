//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

#include "go_arenas.h"

#define SPAN_BYTES 112        // that the fields lie in, but for specials
#define SPAN_IN_USE 1         // mSpanInUse
#define SPAN_MANUAL 2         // mSpanManual: stacks, and the collector's own
#define MOST_PAGES (1ULL << 34)

bool go_slice(const struct twin_go *go, uint64_t header, uint64_t most, struct go_slice *slice)
{
	if (!go_readable(go, header, 24))
		return false;
	*slice = (struct go_slice){go_word(header), go_word(header + 8)};
	return slice->size <= most && (slice->size == 0 || go_readable(go, slice->at, 8 * slice->size));
}

bool twin_go_holds(const struct twin_go *go, uint64_t address)
{
	return go_arena(go, (address + go->bias) / TWIN_GO_ARENA) != 0;
}

// A thread that sweeps the span may have replaced the bits and not yet the rest, or the other way round: then what is allocated
// and the number of it do not agree.
static bool agrees(const struct go_span *s, uint32_t count)
{
	uint32_t allocated = s->free_index;
	for (uint32_t i = s->free_index; i < s->objects; i++)
		allocated += go_allocated(s, i);
	return allocated == count;
}

static void read_objects(const struct twin_go *go, uint64_t at, struct go_span *s)
{
	uint64_t bytes = s->pages * GO_PAGE;
	s->objects = go_quarter(at + go->span.objects);
	s->free_index = go_quarter(at + go->span.free_index);
	s->size = go_word(at + go->span.size);
	s->bits = go_word(at + go->span.bits);
	if (s->size != 0 && s->objects != 0 && s->size <= bytes / s->objects && s->free_index <= s->objects &&
	    go_readable(go, s->bits, (s->objects + 7) / 8) && agrees(s, go_quarter(at + go->span.count)))
		return;
	*s = (struct go_span){s->at, s->start, s->pages, bytes, 1, 1, 0}; // as one object
}

enum go_span_kind go_span_around(const struct twin_go *go, uint64_t address, struct go_span *s)
{
	uint64_t arena = go_arena(go, (address + go->bias) / TWIN_GO_ARENA);
	if (arena == 0 || !go_readable(go, arena, 8 * GO_PAGES))
		return GO_SPAN_NONE;
	s->at = go_word(arena + address / GO_PAGE % GO_PAGES * 8);
	if (!go_readable(go, s->at, SPAN_BYTES))
		return GO_SPAN_NONE;
	s->start = go_word(s->at + go->span.start);
	s->pages = go_word(s->at + go->span.pages);
	if (s->start % GO_PAGE != 0 || address < s->start || s->pages > MOST_PAGES || (address - s->start) / GO_PAGE >= s->pages)
		return GO_SPAN_NONE; // freed, and perhaps used for other pages since
	switch (*(const uint8_t *)(uintptr_t)(s->at + go->span.state)) {
	case SPAN_IN_USE:
		return GO_SPAN_OBJECTS;
	case SPAN_MANUAL:
		return GO_SPAN_OTHER;
	default:
		return GO_SPAN_NONE;
	}
}

enum go_span_kind go_span(const struct twin_go *go, uint64_t address, struct go_span *s)
{
	enum go_span_kind kind = go_span_around(go, address, s);
	if (kind == GO_SPAN_OBJECTS)
		read_objects(go, s->at, s);
	return kind;
}

bool go_in_use(const struct twin_go *go, struct go_span *s, uint64_t object)
{
	s->objects = go_quarter(s->at + go->span.objects);
	s->free_index = go_quarter(s->at + go->span.free_index);
	s->bits = go_word(s->at + go->span.bits);
	if (object < s->objects && go_readable(go, s->bits, object / 8 + 1) && go_allocated(s, (uint32_t)object))
		return true;
	read_objects(go, s->at, s); // it may be inconsistent
	return s->bits == 0 || (object < s->objects && go_allocated(s, (uint32_t)object));
}

bool twin_go_arenas(const struct twin_go *go, void (*each)(void *arg, uint64_t start, uint64_t limit), void *arg)
{
	struct go_slice list;
	if (go->arenas == 0)
		return false;
	for (int i = 0; i < 2; i++) {
		if (!go_slice(go, go->lists + (uint64_t)i * 24, GO_ENTRIES, &list) || (i == 0 && list.size == 0))
			return false;
		for (uint64_t n = 0; n < list.size; n++) {
			uint64_t index = go_word(list.at + 8 * n), start = index * TWIN_GO_ARENA - go->bias;
			if (go_arena(go, index) == 0 || !go_readable(go, go_arena(go, index), 8 * GO_PAGES))
				return false;
			each(arg, start, start + TWIN_GO_ARENA);
		}
	}
	return true;
}
