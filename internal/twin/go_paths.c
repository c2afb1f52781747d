//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

// Objects are looked at in the order of their distance from the roots, each once. A word is a pointer if it is an address in an object;
// objects without pointers are looked at when they are met, for what lies outside of Go's heap only.

#include "go_paths.h"

#include "found.h"
#include "machine.h"

#define WORD 8ULL
#define LEAST_ROOM (64ULL << 10) // entries of the queue
#define BYTES_PER_ENTRY 4096     // of arenas: the queue has a 256th of them
#define MOST_ARENAS (1ULL << 14) // between the first and the last
#define MOST_SPECIALS (1 << 20)
#define MOST_LISTED (1ULL << 26)
#define LEAST_PROCESSOR (4ULL << 10)
#define AHEAD 8 // objects that are fetched into the cache before they are looked at

// Of the runtime's special records, mheap.go. Behind KEPT are a finalizer's function, and numbers; or a cleanup's: its function, and
// since Go 1.26 an adapter before it and its argument behind it.
enum { NEXT = 0, OFFSET = 8, KIND = 16, KEPT = 24 };

struct waiting {
	uint64_t at, from;
};

struct search {
	const struct twin_go *go;
	const struct twin_go_outside *outside;
	struct twin_kept kept;
	uint64_t arenas; // how many there are
	struct waiting *queue;
	uint64_t first, waiting, room;
	uint32_t root; // of the words that are looked at; TWIN_ROOT_NONE: they are an object's
	uint64_t from; // of that object: twin_from
	struct twin_range self; // an object whose own words do not keep it
	bool full;
};

struct object {
	uint64_t at, size, span;
	bool pointers;
};

static uint64_t special_of(const struct search *s, uint64_t span)
{
	return s->go->span.specials == 0 ? 0 : go_word(span + s->go->span.specials);
}

// The slot of an address in a span that has objects. A word that is no pointer may lead to one that is free.
static bool object_at(const struct twin_go *go, uint64_t address, struct object *o)
{
	struct go_span s;
	if (go_span_around(go, address, &s) != GO_SPAN_OBJECTS)
		return false;
	uint64_t size = go_word(s.at + go->span.size);
	if (size == 0)
		return false;
	uint64_t i = (address - s.start) / size;
	if ((i + 1) * size > s.pages * GO_PAGE)
		return false;
	bool pointers = go->span.class == 0 || (*(const uint8_t *)(uintptr_t)(s.at + go->span.class) & 1) == 0;
	*o = (struct object){s.start + i * size, size, s.at, pointers};
	return go_in_use(go, &s, i);
}

static void visit(struct search *s, uint64_t start, uint64_t limit, twin_go_words *words)
{
	s->outside->part(s->outside->arg, start, limit, words, s);
}

// Looks for what lies outside of Go's heap.
static void look(void *arg, uint64_t start, uint64_t limit, uint64_t bias)
{
	struct search *s = arg;
	s->outside->look(s->outside->arg, start, limit, bias, s->root, s->from);
}

// Looks in an object without pointers for what lies outside of Go's heap.
static void look_in(struct search *s, uint64_t start, uint64_t limit, uint64_t from)
{
	uint32_t root = s->root;
	uint64_t before = s->from;
	s->root = TWIN_ROOT_NONE;
	s->from = from;
	visit(s, start, limit, look);
	s->root = root;
	s->from = before;
}

// Where an object that a pointer leads to begins, as far as it is kept alone. Of the smallest objects there are several in one place, but
// Go's pointers to such an object are its address: so a word is kept by what points to that word. Words of a place that nothing points to
// may be the second half of an object, or may have been forgotten: twin_go_scan_smallest finds them.
static struct twin_range kept_part(const struct search *s, const struct object *o, uint64_t value)
{
	uint64_t word = value & ~(WORD - 1);
	return go_has_smallest(s->go, o->span) ? (struct twin_range){word, word + WORD} : (struct twin_range){o->at, o->at + o->size};
}

static void meet(struct search *s, uint64_t value, uint64_t from)
{
	struct object o;
	if (value < s->kept.low || value >= s->kept.high || (value >= s->self.start && value < s->self.limit) || !object_at(s->go, value, &o) ||
	    o.at < s->kept.low)
		return;
	struct twin_range part = kept_part(s, &o, value);
	if (twin_go_kept(&s->kept, part.start, true))
		return;
	if (!o.pointers) {
		look_in(s, part.start, part.limit, from);
		if (special_of(s, o.span) == 0)
			return;
	}
	if (s->waiting < s->room)
		s->queue[(s->first + s->waiting++) % s->room] = (struct waiting){o.at, from};
	else
		s->full = true;
}

// Looks for objects.
static void follow(void *arg, uint64_t start, uint64_t limit, uint64_t bias)
{
	struct search *s = arg;
	for (uint64_t at = (start + WORD - 1) & ~(WORD - 1); at + WORD <= limit; at += WORD)
		meet(s, go_word(at), s->root == TWIN_ROOT_NONE ? s->from : twin_from(s->root | TWIN_ROOT_IN_GO, at + bias));
}

static void look_and_follow(void *arg, uint64_t start, uint64_t limit, uint64_t bias)
{
	look(arg, start, limit, bias);
	follow(arg, start, limit, bias);
}

// What is looked at next is an object, or what only an object's record keeps.
static void begin_object(struct search *s, uint32_t root, uint64_t word)
{
	s->root = TWIN_ROOT_NONE;
	s->from = twin_from(root | TWIN_ROOT_IN_GO, word);
}

static uint32_t kind_of(uint64_t special)
{
	return *(const uint8_t *)(uintptr_t)(special + KIND);
}

static bool keeps(const struct search *s, uint64_t special)
{
	uint32_t kind = kind_of(special);
	return kind != 0 && (kind == s->go->special.finalizer || kind == s->go->special.cleanup);
}

// Where the function of a finalizer or cleanup is in its record.
static uint64_t function_at(const struct search *s, uint64_t special)
{
	return special + (kind_of(special) == s->go->special.finalizer ? KEPT : s->go->special.function);
}

static void follow_special(struct search *s, uint64_t special)
{
	uint64_t function = function_at(s, special), limit = function == special + KEPT ? function : function + WORD;
	follow(s, special + KEPT, limit + WORD, 0);
}

// An object that is in use keeps the functions of its finalizer and cleanups.
static void follow_specials(struct search *s, const struct object *o)
{
	uint64_t start = go_word(o->span + s->go->span.start), special = special_of(s, o->span);
	for (int i = 0; i < MOST_SPECIALS && special != 0 && go_readable(s->go, special, KEPT + WORD); i++) {
		uint64_t at = start + go_word(special + OFFSET);
		if (at >= o->at + o->size)
			return;
		if (at >= o->at && keeps(s, special))
			follow_special(s, special);
		special = go_word(special + NEXT);
	}
}

// Follows all pointers that wait.
static void drain(struct search *s)
{
	s->root = TWIN_ROOT_NONE;
	while (s->waiting > 0) {
		struct waiting next = s->queue[s->first];
		struct object o;
		s->first = (s->first + 1) % s->room;
		s->waiting--;
		__builtin_prefetch((const void *)(uintptr_t)s->queue[(s->first + AHEAD) % s->room].at);
		s->from = next.from;
		if (!object_at(s->go, next.at, &o))
			continue;
		if (o.pointers)
			visit(s, o.at, o.at + o.size, look_and_follow);
		follow_specials(s, &o);
	}
}

// A goroutine keeps what its stack points to, and what the runtime has noted of it, as functions that are deferred.
static bool look_at_goroutine(void *arg, const struct twin_goroutine *g)
{
	struct search *s = arg;
	struct object o;
	s->root = TWIN_ROOT_GO_STACK;
	visit(s, g->used, g->hi, look_and_follow);
	begin_object(s, TWIN_ROOT_GO_STACK, g->hi - WORD);
	if (object_at(s->go, g->g, &o))
		visit(s, o.at, o.at + o.size, follow);
	return true;
}

static bool each_of(struct search *s, uint64_t slice, void (*each)(struct search *s, const struct object *o))
{
	struct go_slice all;
	struct object o;
	if (slice == 0 || !go_slice(s->go, slice, MOST_LISTED, &all))
		return false;
	for (uint64_t i = 0; i < all.size; i++)
		if (object_at(s->go, go_word(all.at + WORD * i), &o) && o.at >= s->kept.low && o.at < s->kept.high)
			each(s, &o);
	return true;
}

static void set_apart(struct search *s, const struct object *o)
{
	twin_go_kept(&s->kept, o->at, true);
}

static void look_at_apart(struct search *s, const struct object *o)
{
	begin_object(s, TWIN_ROOT_GO_OTHER, o->at);
	visit(s, o->at, o->at + o->size, twin_go_is_processor(s->go, o->at, o->at + o->size) ? follow : look_and_follow);
}

bool twin_go_is_processor(const struct twin_go *go, uint64_t start, uint64_t limit)
{
	struct go_slice all;
	if (limit - start < LEAST_PROCESSOR || go->processors == 0 || !go_slice(go, go->processors, MOST_LISTED, &all))
		return false;
	for (uint64_t i = 0; i < all.size; i++)
		if (go_word(all.at + WORD * i) >= start && go_word(all.at + WORD * i) < limit)
			return true;
	return false;
}

// What the runtime notes of goroutines and processors, which have the timers, leads from each to all others: whoever waits for a timer would
// keep what all timers do. So nothing leads through them, but in the end.
static bool each_apart(struct search *s, void (*each)(struct search *s, const struct object *o))
{
	return each_of(s, s->go->goroutines, each) && each_of(s, s->go->processors, each);
}

// What a special record keeps of an object, part of which nothing else does. An object keeps itself alive if that leads to it.
static void look_at_special(struct search *s, uint64_t special, const struct object *o, struct twin_range part)
{
	begin_object(s, TWIN_ROOT_FINALIZER, special);
	uint64_t from = s->from, closure = go_word(function_at(s, special)), function = go_readable(s->go, closure, WORD) ? go_word(closure) : 0;
	s->self = (struct twin_range){o->at, o->at + o->size}; // as Go's collector, which follows no pointer from an object into itself
	if (kind_of(special) == s->go->special.finalizer && o->pointers)
		visit(s, o->at, o->at + o->size, follow);
	s->self = (struct twin_range){0};
	follow_special(s, special);
	drain(s);
	bool cycle = twin_go_kept(&s->kept, part.start, false);
	s->from = from;
	visit(s, part.start, part.limit, look);
	s->outside->rename(s->outside->arg, from, twin_from((cycle ? TWIN_ROOT_CYCLE : TWIN_ROOT_FINALIZER) | TWIN_ROOT_IN_GO, function));
}

static void look_at_specials(void *arg, uint64_t start, uint64_t limit)
{
	struct search *s = arg;
	for (uint64_t at = start; at < limit;) {
		struct go_span span;
		enum go_span_kind kind = go_span_around(s->go, at, &span);
		uint64_t special = kind == GO_SPAN_OBJECTS && span.start >= start ? special_of(s, span.at) : 0;
		for (int i = 0; i < MOST_SPECIALS && special != 0 && go_readable(s->go, special, KEPT + WORD); i++) {
			uint64_t at_special = span.start + go_word(special + OFFSET);
			struct object o;
			if (keeps(s, special) && object_at(s->go, at_special, &o) && o.span == span.at && o.at >= s->kept.low) {
				struct twin_range part = kept_part(s, &o, at_special);
				if (!twin_go_kept(&s->kept, part.start, false))
					look_at_special(s, special, &o, part);
			}
			special = go_word(special + NEXT);
		}
		at = kind == GO_SPAN_NONE ? at + GO_PAGE : span.start + span.pages * GO_PAGE;
	}
}

static void widen(void *arg, uint64_t start, uint64_t limit)
{
	struct search *s = arg;
	s->arenas++;
	if (s->kept.high == 0 || start < s->kept.low)
		s->kept.low = start;
	if (limit > s->kept.high)
		s->kept.high = limit;
}

static bool look_outside(struct search *s, bool (*each)(void *, twin_go_words *, void *), uint32_t root)
{
	s->root = root;
	bool read = each(s->outside->arg, follow, s);
	drain(s);
	return read && !s->full;
}

static bool look_at_goroutines(struct search *s)
{
	bool known = twin_go_goroutines(s->go, look_at_goroutine, s);
	drain(s);
	return known && !s->full;
}

static bool find_kept(struct search *s)
{
	bool known = each_apart(s, set_apart) && look_outside(s, s->outside->variables, TWIN_ROOT_DATA) && look_at_goroutines(s) &&
		     twin_go_arenas(s->go, look_at_specials, s) && each_apart(s, look_at_apart);
	drain(s);
	return known && !s->full;
}

static uint64_t size_of(const struct twin_kept *kept)
{
	return (kept->high - kept->low) / WORD / 8;
}

static bool begin(struct search *s, uint64_t *taken)
{
	if (!twin_go_arenas(s->go, widen, s) || s->kept.high - s->kept.low > MOST_ARENAS * TWIN_GO_ARENA)
		return false;
	s->room = s->arenas * TWIN_GO_ARENA / BYTES_PER_ENTRY;
	if (s->room < LEAST_ROOM)
		s->room = LEAST_ROOM;
	s->queue = pages_map(s->room * sizeof *s->queue);
	if (s->kept.bits == NULL) {
		s->kept.bits = pages_map(size_of(&s->kept));
		*taken += size_of(&s->kept);
	}
	*taken += s->room * sizeof *s->queue;
	return s->queue != NULL && s->kept.bits != NULL;
}

static void end(struct search *s)
{
	if (s->queue != NULL)
		(void)pages_unmap(s->queue, s->room * sizeof *s->queue);
}

void twin_go_keep(const struct twin_go *go, const struct twin_go_outside *outside, struct twin_kept *kept, uint64_t *taken)
{
	struct search s = {.go = go, .outside = outside};
	bool known = begin(&s, taken) && find_kept(&s);
	end(&s);
	*kept = s.kept;
	if (!known)
		twin_go_forget_kept(kept);
}

bool twin_go_keep_others(const struct twin_go *go, const struct twin_go_outside *outside, struct twin_kept *kept, uint64_t *taken)
{
	struct search s = {.go = go, .outside = outside, .kept = *kept};
	bool known = begin(&s, taken) && look_outside(&s, outside->others, TWIN_ROOT_GO_OTHER);
	end(&s);
	return known;
}

void twin_go_forget_kept(struct twin_kept *kept)
{
	if (kept->bits != NULL)
		(void)pages_unmap(kept->bits, size_of(kept));
	kept->bits = NULL;
}

bool twin_go_keeps(const struct twin_go *go, const struct twin_kept *kept, uint64_t address)
{
	struct object o;
	return object_at(go, address, &o) &&
	       (twin_go_kept(kept, o.at, false) || (go_has_smallest(go, o.span) && twin_go_kept(kept, o.at + WORD, false)));
}
