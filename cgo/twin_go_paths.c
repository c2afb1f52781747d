//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

// Objects are looked at in the order of their distance from the roots, each once. A word is a pointer if it is an address in an object;
// objects without pointers are not looked at.

#include "twin_go_paths.h"

#include "blocks_pages.h"
#include "twin_found.h"
#include "twin_sort.h"

#define WORD 8ULL
#define FROM_BITS 56 // where the enum twin_root is in an address
#define ADDRESS ((1ULL << 48) - 1)
#define LEAST_ROOM (64ULL << 10) // entries of the queue
#define BYTES_PER_ENTRY 4096     // of arenas: the queue has a 256th of them
#define MOST_ARENAS (1ULL << 14) // between the first and the last
#define MOST_SPECIALS (1 << 20)
#define MOST_LISTED (1ULL << 26)
#define LEAST_PROCESSOR (4ULL << 10)
#define NONE (~0U)

// Of the runtime's special records, mheap.go. Behind KEPT are a finalizer's function, and numbers; or a cleanup's: its function, and
// since Go 1.26 an adapter before it and its argument behind it.
enum { NEXT = 0, OFFSET = 8, KIND = 16, KEPT = 24 };

struct waiting {
	uint64_t at, from;
};

struct search {
	const struct twin_go *go;
	const struct twin_go_outside *outside;
	struct twin_path *paths;
	uint64_t count, left; // left: without an answer
	uint64_t low, high, arenas; // of all arenas, and how many there are
	uint8_t *reached, *asked; // a bit for each word between them
	struct waiting *queue;
	uint64_t first, waiting, room;
	uint64_t from; // of the object that is looked at: the first word's address, and the root
	uint64_t root; // of words that are looked at as roots; 0: they are an object's
	struct twin_range self; // an object whose own words do not keep it
	uint32_t chain; // the paths that were answered last
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

// The slot of an address in a span that has objects. Whether it is in use does not matter: nothing in use points to one that is not.
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
	return true;
}

static bool bit(const struct search *s, const uint8_t *bits, uint64_t at)
{
	uint64_t i = (at - s->low) / WORD;
	return (bits[i / 8] >> i % 8 & 1) != 0;
}

static void set_bit(const struct search *s, uint8_t *bits, uint64_t at)
{
	uint64_t i = (at - s->low) / WORD;
	bits[i / 8] |= (uint8_t)(1U << i % 8);
}

static uint64_t find(const struct twin_path *paths, uint64_t count, uint64_t at)
{
	uint64_t from = 0, to = count;
	while (from < to) {
		uint64_t middle = (from + to) / 2;
		if (paths[middle].at < at)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

static void answer(struct search *s, uint64_t at)
{
	struct twin_path *p = &s->paths[find(s->paths, s->count, at)];
	if (p->root != TWIN_ROOT_GO_HEAP)
		return;
	p->word = s->from & ADDRESS;
	p->root = (uint32_t)(s->from >> FROM_BITS) | TWIN_ROOT_IN_GO;
	p->next = s->chain;
	s->chain = (uint32_t)(p - s->paths);
	s->left--;
}

static void push(struct search *s, uint64_t at)
{
	if (s->waiting == s->room) {
		s->full = true;
		return;
	}
	s->queue[(s->first + s->waiting++) % s->room] = (struct waiting){at, s->from};
}

static void meet(struct search *s, uint64_t value)
{
	struct object o;
	if (value < s->low || value >= s->high || (value >= s->self.start && value < s->self.limit) || !object_at(s->go, value, &o) || o.at < s->low || bit(s, s->reached, o.at))
		return;
	set_bit(s, s->reached, o.at);
	if (bit(s, s->asked, o.at))
		answer(s, o.at);
	if (o.pointers || special_of(s, o.span) != 0)
		push(s, o.at);
}

static void look(void *arg, uint64_t start, uint64_t limit, uint64_t bias)
{
	struct search *s = arg;
	uint64_t from = s->from;
	for (uint64_t at = (start + WORD - 1) & ~(WORD - 1); at + WORD <= limit && s->left > 0; at += WORD) {
		if (s->root != 0)
			s->from = (at + bias) | s->root << FROM_BITS;
		meet(s, go_word(at));
	}
	s->from = from;
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

static void meet_kept(struct search *s, uint64_t special)
{
	uint64_t function = function_at(s, special), limit = function == special + KEPT ? function : function + WORD;
	for (uint64_t at = special + KEPT; at <= limit; at += WORD)
		meet(s, go_word(at));
}

// An object that is in use keeps the functions of its finalizer and cleanups.
static void meet_specials(struct search *s, const struct object *o)
{
	uint64_t start = go_word(o->span + s->go->span.start), special = special_of(s, o->span);
	for (int i = 0; i < MOST_SPECIALS && special != 0 && go_readable(s->go, special, KEPT + WORD); i++) {
		uint64_t at = start + go_word(special + OFFSET);
		if (at >= o->at + o->size)
			return;
		if (at >= o->at && keeps(s, special))
			meet_kept(s, special);
		special = go_word(special + NEXT);
	}
}

static void look_at(struct search *s, const struct object *o)
{
	s->root = 0;
	if (o->pointers)
		s->outside->part(s->outside->arg, o->at, o->at + o->size, look, s);
}

// Follows all pointers that wait.
static void drain(struct search *s)
{
	while (s->waiting > 0 && s->left > 0) {
		struct waiting next = s->queue[s->first];
		struct object o;
		s->first = (s->first + 1) % s->room;
		s->waiting--;
		s->from = next.from;
		if (!object_at(s->go, next.at, &o))
			continue;
		look_at(s, &o);
		meet_specials(s, &o);
	}
}

// A goroutine keeps what its stack points to, and what the runtime has noted of it, as functions that are deferred.
static bool look_at_goroutine(void *arg, const struct twin_goroutine *g)
{
	struct search *s = arg;
	struct object o;
	s->root = TWIN_ROOT_GO_STACK;
	s->outside->part(s->outside->arg, g->used, g->hi, look, s);
	s->from = (g->hi - WORD) | (uint64_t)TWIN_ROOT_GO_STACK << FROM_BITS;
	if (object_at(s->go, g->g, &o))
		look_at(s, &o);
	return true;
}

static bool each_of(struct search *s, uint64_t slice, void (*visit)(struct search *s, const struct object *o))
{
	struct go_slice all;
	struct object o;
	if (slice == 0 || !go_slice(s->go, slice, MOST_LISTED, &all))
		return false;
	for (uint64_t i = 0; i < all.size; i++)
		if (object_at(s->go, go_word(all.at + WORD * i), &o) && o.at >= s->low && o.at < s->high)
			visit(s, &o);
	return true;
}

static void set_apart(struct search *s, const struct object *o)
{
	set_bit(s, s->reached, o->at);
}

static void clear_apart(struct search *s, const struct object *o)
{
	uint64_t i = (o->at - s->low) / WORD;
	s->reached[i / 8] &= (uint8_t)~(1U << i % 8);
}

static void look_at_apart(struct search *s, const struct object *o)
{
	s->from = o->at | (uint64_t)TWIN_ROOT_GO_OTHER << FROM_BITS;
	if (bit(s, s->asked, o->at))
		answer(s, o->at);
	look_at(s, o);
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
static bool each_apart(struct search *s, void (*visit)(struct search *s, const struct object *o))
{
	return each_of(s, s->go->goroutines, visit) && each_of(s, s->go->processors, visit);
}

// What a special record keeps of an object that nothing else does. An object keeps itself alive if that leads to it.
static void look_at_special(struct search *s, uint64_t special, const struct object *o)
{
	s->from = special | (uint64_t)TWIN_ROOT_FINALIZER << FROM_BITS;
	s->chain = NONE;
	s->left++; // until all is looked at
	s->self = (struct twin_range){o->at, o->at + o->size}; // as Go's collector, which follows no pointer from an object into itself
	if (kind_of(special) == s->go->special.finalizer)
		look_at(s, o);
	s->self = (struct twin_range){0};
	s->root = 0;
	meet_kept(s, special);
	drain(s);
	s->left--;
	bool cycle = bit(s, s->reached, o->at);
	s->from = special | (uint64_t)TWIN_ROOT_FINALIZER << FROM_BITS;
	if (!cycle && bit(s, s->asked, o->at))
		answer(s, o->at);
	uint64_t closure = go_word(function_at(s, special)), function = go_readable(s->go, closure, WORD) ? go_word(closure) : 0;
	for (uint32_t i = s->chain; i != NONE; i = s->paths[i].next) {
		s->paths[i].root = (cycle ? TWIN_ROOT_CYCLE : TWIN_ROOT_FINALIZER) | TWIN_ROOT_IN_GO;
		s->paths[i].word = function;
	}
}

static void look_at_specials(void *arg, uint64_t start, uint64_t limit)
{
	struct search *s = arg;
	for (uint64_t at = start; at < limit && s->left > 0;) {
		struct go_span span;
		enum go_span_kind kind = go_span_around(s->go, at, &span);
		uint64_t special = kind == GO_SPAN_OBJECTS && span.start >= start ? special_of(s, span.at) : 0;
		for (int i = 0; i < MOST_SPECIALS && special != 0 && go_readable(s->go, special, KEPT + WORD); i++) {
			struct object o;
			if (keeps(s, special) && object_at(s->go, span.start + go_word(special + OFFSET), &o) && o.span == span.at && o.at >= s->low &&
			    !bit(s, s->reached, o.at))
				look_at_special(s, special, &o);
			special = go_word(special + NEXT);
		}
		at = kind == GO_SPAN_NONE ? at + GO_PAGE : span.start + span.pages * GO_PAGE;
	}
}

static void widen(void *arg, uint64_t start, uint64_t limit)
{
	struct search *s = arg;
	s->arenas++;
	if (s->high == 0 || start < s->low)
		s->low = start;
	if (limit > s->high)
		s->high = limit;
}

// Sorts the paths by their objects, and leaves each once.
static uint64_t list(struct search *s, uint64_t count)
{
	uint64_t kept = 0;
	for (uint64_t i = 0; i < count; i++) {
		struct object o;
		if (object_at(s->go, s->paths[i].at, &o) && o.at >= s->low)
			s->paths[kept++] = (struct twin_path){o.at, 0, TWIN_ROOT_GO_HEAP, NONE};
	}
	twin_sort(s->paths, kept, sizeof *s->paths, offsetof(struct twin_path, at));
	count = kept;
	kept = 0;
	for (uint64_t i = 0; i < count; i++)
		if (kept == 0 || s->paths[i].at != s->paths[kept - 1].at)
			s->paths[kept++] = s->paths[i];
	return kept;
}

static bool take(struct search *s, uint64_t *taken)
{
	uint64_t bits = (s->high - s->low) / WORD / 8;
	s->room = s->arenas * TWIN_GO_ARENA / BYTES_PER_ENTRY;
	if (s->room < LEAST_ROOM)
		s->room = LEAST_ROOM;
	s->reached = pages_map(bits);
	s->asked = pages_map(bits);
	s->queue = pages_map(s->room * sizeof *s->queue);
	uint64_t touched = s->count * GO_PAGE; // of what is asked for, at most
	*taken += bits + (touched < bits ? touched : bits) + s->room * sizeof *s->queue;
	return s->reached != NULL && s->asked != NULL && s->queue != NULL;
}

static bool look_outside(struct search *s, bool (*each)(void *, twin_go_words *, void *), uint32_t root)
{
	s->root = root;
	bool read = each(s->outside->arg, look, s);
	drain(s);
	return read;
}

static bool look_at_goroutines(struct search *s)
{
	bool known = twin_go_goroutines(s->go, look_at_goroutine, s);
	drain(s);
	return known;
}

static bool find_kept_by_variables(struct search *s)
{
	return each_apart(s, set_apart) && look_outside(s, s->outside->variables, TWIN_ROOT_DATA) && !s->full;
}

// What variables and goroutines do not keep is known only if all that they keep is. What is left then is kept by nothing.
static void find_all(struct search *s)
{
	if (!find_kept_by_variables(s) || !look_at_goroutines(s) || s->full || !twin_go_arenas(s->go, look_at_specials, s) || !each_apart(s, look_at_apart))
		return;
	drain(s);
	if (!look_outside(s, s->outside->others, TWIN_ROOT_GO_OTHER) || s->full)
		return;
	for (uint64_t i = 0; i < s->count; i++)
		if (s->paths[i].root == TWIN_ROOT_GO_HEAP)
			s->paths[i].root = TWIN_ROOT_GARBAGE | TWIN_ROOT_IN_GO;
}

static bool begin(struct search *s)
{
	return twin_go_arenas(s->go, widen, s) && s->high - s->low <= MOST_ARENAS * TWIN_GO_ARENA;
}

static void forget(struct search *s)
{
	uint64_t bits = (s->high - s->low) / WORD / 8;
	if (s->asked != NULL)
		(void)pages_unmap(s->asked, bits);
	if (s->queue != NULL)
		(void)pages_unmap(s->queue, s->room * sizeof *s->queue);
}

void twin_go_keep(const struct twin_go *go, const struct twin_go_outside *outside, struct twin_kept kept[2], uint64_t *taken)
{
	struct search s = {.go = go, .outside = outside, .chain = NONE, .left = 1}; // until all is looked at
	bool known = begin(&s) && take(&s, taken) && find_kept_by_variables(&s);
	known = known && each_apart(&s, clear_apart); // they were set so that nothing leads through them
	uint64_t words = (s.high - s.low) / WORD / 64, *copy = known ? pages_map(words * WORD) : NULL;
	kept[0] = kept[1] = (struct twin_kept){s.low, s.high, NULL};
	if (copy != NULL) {
		*taken += words * WORD;
		for (uint64_t i = 0; i < words; i++)
			if (((const uint64_t *)s.reached)[i] != 0) // no page of the copy is touched in vain
				copy[i] = ((const uint64_t *)s.reached)[i];
		kept[0].bits = (uint8_t *)copy;
		if (each_apart(&s, set_apart) && look_at_goroutines(&s) && !s.full && each_apart(&s, clear_apart))
			kept[1].bits = s.reached;
	}
	forget(&s);
}

void twin_go_forget_kept(struct twin_kept *kept)
{
	if (kept->bits != NULL)
		(void)pages_unmap(kept->bits, (kept->high - kept->low) / WORD / 8);
	kept->bits = NULL;
}

uint64_t twin_go_paths(const struct twin_go *go, const struct twin_go_outside *outside, struct twin_path *paths, uint64_t count, uint64_t *taken)
{
	struct search s = {.go = go, .outside = outside, .paths = paths, .chain = NONE};
	if (!begin(&s))
		return 0;
	s.count = s.left = list(&s, count);
	if (s.count == 0 || !take(&s, taken))
		return s.count;
	for (uint64_t i = 0; i < s.count; i++)
		set_bit(&s, s.asked, paths[i].at);
	find_all(&s);
	forget(&s);
	return s.count;
}

const struct twin_path *twin_go_path(const struct twin_go *go, const struct twin_path *paths, uint64_t count, uint64_t address)
{
	struct object o;
	if (!object_at(go, address, &o))
		return NULL;
	uint64_t i = find(paths, count, o.at);
	return i < count && paths[i].at == o.at ? &paths[i] : NULL;
}
