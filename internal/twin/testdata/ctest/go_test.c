// Go's memory as a twin reads it: a heap that is made up, in all the states that a moment can catch it in.
#include "../../go.h"
#include "../../go_paths.h"

#include <stdint.h>
#include <sys/mman.h>

#include "check.h"

#define PAGE 8192ULL
#define WORD 8
#define PAGES (TWIN_GO_ARENA / PAGE)
#define FIRST 7 // index of the first of two arenas

// As internal/gospans has it.
struct span {
	uint64_t unused[3], start, pages, list;
	uint16_t free_index, objects, more[2];
	uint64_t cache;
	const uint8_t *bits;
	uint64_t others[3];
	uint16_t count;
	uint8_t class, state;
	uint32_t rest;
	uint64_t size, specials;
};

struct g {
	uint64_t lo, hi, unused[5], sp, more[10];
	uint32_t status, lock;
	uint64_t id, others[16], created, ancestors, start, rest[22];
};

static uint64_t *table, *arena[2];
static uint64_t indexes[2] = {FIRST, FIRST + 1};
static uint64_t lists[6] = {(uint64_t)indexes, 2, 2, 0, 0, 0};
static struct g *all[8];
static uint64_t goroutines[3] = {(uint64_t)all, 0, 8};
static uint64_t processor[1], processors[3] = {(uint64_t)processor, 1, 1};
static struct span spans[8];
static uint8_t bits[64] __attribute__((aligned(8)));
static struct g *gs; // in the first arena, which is memory: all others are addresses only
static struct twin_go go;
static uint64_t base;

static void *map(size_t size)
{
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	check(at != MAP_FAILED);
	return at;
}

static bool not_there(void *arg, uint64_t start, uint64_t limit)
{
	uint64_t never = *(uint64_t *)arg;
	return never < start || never >= limit;
}

static void set_up(void)
{
	static bool done;
	if (!done) {
		table = map(8 << 22);
		arena[0] = map(8 * PAGES), arena[1] = map(8 * PAGES);
		base = ((uint64_t)map(4 * TWIN_GO_ARENA) + TWIN_GO_ARENA - 1) / TWIN_GO_ARENA * TWIN_GO_ARENA;
		done = true;
	}
	memset(arena[0], 0, 8 * PAGES), memset(arena[1], 0, 8 * PAGES);
	memset(spans, 0, sizeof spans), memset(bits, 0, sizeof bits), memset(all, 0, sizeof all);
	table[FIRST] = (uint64_t)arena[0], table[FIRST + 1] = (uint64_t)arena[1];
	go = (struct twin_go){.arenas = (uint64_t)table, .bias = FIRST * TWIN_GO_ARENA - base, .lists = (uint64_t)lists,
			      .goroutines = (uint64_t)goroutines, .processors = (uint64_t)processors, .span = {24, 32, 48, 50, 64, 96, 99, 104, 98, 112}, .special = {2, 7, 32},
			      .g = {offsetof(struct g, sp), offsetof(struct g, status), offsetof(struct g, id),
				    offsetof(struct g, created), offsetof(struct g, start)}};
	gs = (struct g *)base;
	memset(gs, 0, PAGE);
	goroutines[1] = 0;
}

// Puts a span of objects of 1000 bytes on pages.
static struct span *put(int i, uint64_t page, uint64_t pages, uint8_t state)
{
	spans[i] = (struct span){.start = base + page * PAGE, .pages = pages, .state = state, .size = 1000, .bits = bits,
				 .objects = (uint16_t)(pages * PAGE / 1000)};
	for (uint64_t p = page; p < page + pages; p++)
		arena[p / PAGES][p % PAGES] = (uint64_t)&spans[i];
	return &spans[i];
}

static struct {
	uint64_t start, limit, root;
} part[32];
static int parts;

static void note(void *arg, uint64_t start, uint64_t limit, uint32_t root)
{
	check(arg == &parts && parts < 32);
	part[parts].start = start, part[parts].limit = limit, part[parts].root = root;
	parts++;
}

static bool scan(void)
{
	parts = 0;
	return twin_go_scan(&go, &(struct twin_kept){0}, note, &parts);
}

static bool is(int i, uint64_t start, uint64_t limit)
{
	return i < parts && part[i].start == start && part[i].limit == limit && part[i].root == TWIN_ROOT_GO_HEAP;
}

// The start of the allocated object that an address lies in; 0 if it lies in none.
static uint64_t object_at(uint64_t address)
{
	struct go_span s;
	if (go_span(&go, address, &s) != GO_SPAN_OBJECTS)
		return 0;
	uint64_t i = (address - s.start) / s.size;
	return i < s.objects && go_allocated(&s, (uint32_t)i) ? s.start + i * s.size : 0;
}

static void runs(void)
{
	set_up();
	struct span *s = put(0, 3, 2, 1);
	s->free_index = 2, bits[0] = 0x3a, bits[1] = 0x80, s->count = 6; // 0, 1, then 3, 4, 5 and 15
	uint64_t at = s->start;
	check(scan() && parts == 3);
	check(is(0, at, at + 2000) && is(1, at + 3000, at + 6000) && is(2, at + 15000, at + 16000));
	check(object_at(at + 3999) == at + 3000 && object_at(at + 2000) == 0 && object_at(at + 16000) == 0 && object_at(at - 1) == 0);
	check(twin_go_holds(&go, at) && !twin_go_holds(&go, base - 1) && !twin_go_holds(&go, base + 2 * TWIN_GO_ARENA));
	check(!twin_go_holds(&go, ~0ULL) && !twin_go_holds(&go, 0));
}

static void inconsistent(void)
{
	uint64_t never = (uint64_t)bits;
	for (int how = 0; how < 7; how++) {
		set_up();
		struct span *s = put(0, 3, 2, 1);
		s->free_index = 2, s->count = 2;
		check(scan() && parts == 1 && is(0, s->start, s->start + 2000));
		switch (how) {
		case 0: s->count = 3; break; // being swept
		case 1: s->free_index = 17; break;
		case 2: s->objects = 0; break;
		case 3: s->objects = 17; break; // more than there is room for
		case 4: s->size = 0; break;
		case 5: s->bits++; break;
		case 6: go.readable = not_there, go.readable_arg = &never; break;
		}
		check(scan() && parts == 1 && is(0, s->start, s->start + 2 * PAGE));
	}
}

static void other_spans(void)
{
	set_up();
	put(0, 3, 2, 2), put(1, 5, 1, 0), put(2, 8, 1, 7);
	struct span *s = put(3, 9, 1, 1);
	s->free_index = 1, s->count = 1;
	arena[0][12] = (uint64_t)s; // was this span's once
	arena[0][13] = 8;           // nothing that the next check lets through
	uint64_t never = 8;
	go.readable = not_there, go.readable_arg = &never;
	check(scan() && parts == 1 && is(0, s->start, s->start + 1000));
	check(object_at(base + 3 * PAGE) == 0 && object_at(base + 12 * PAGE) == 0);
}

static void across_arenas(void)
{
	set_up();
	struct span *s = put(0, PAGES - 3, 10, 1), *next = put(1, PAGES + 7, 1, 1);
	s->objects = s->free_index = s->count = 1, s->size = 10 * PAGE;
	next->free_index = next->count = 8;
	check(scan() && parts == 2 && is(0, s->start, s->start + 10 * PAGE) && is(1, next->start, next->start + 8000));
	check(object_at(base + TWIN_GO_ARENA + 1) == s->start);
}

static struct g *begin(int i, uint64_t lo, uint32_t status)
{
	gs[i] = (struct g){.lo = base + lo, .hi = base + lo + 2048, .sp = base + lo + 1001, .status = status, .id = (uint64_t)i + 1};
	all[i] = &gs[i];
	goroutines[1] = (uint64_t)i + 1;
	return &gs[i];
}

static void stacks(void)
{
	set_up();
	begin(0, 40 * PAGE, 4);
	begin(1, 39 * PAGE, 2);                       // runs
	begin(2, 38 * PAGE, 6);                       // has ended
	begin(3, 37 * PAGE, 0x1003);                  // in a call, and the collector looks at it
	begin(4, 36 * PAGE, 8);                       // its stack is being moved
	begin(5, 35 * PAGE, 1)->sp = base;            // elsewhere
	begin(6, 34 * PAGE, 4)->hi = base;            // no stack
	begin(7, 33 * PAGE, 4)->lo = base - PAGE;     // not Go's
	check(scan() && parts == 5);
	const uint64_t from[] = {40 * PAGE + 1000, 39 * PAGE, 37 * PAGE + 1000, 36 * PAGE, 35 * PAGE};
	for (int i = 0; i < parts; i++)
		check(part[i].start == base + from[i] && part[i].limit % PAGE == 2048 && part[i].root == TWIN_ROOT_GO_STACK);
	all[0] = (struct g *)4, all[1] = NULL, all[2] = (struct g *)(base - 8); // no g
	check(scan() && parts == 3);
	set_up();
	begin(0, 40 * PAGE, 9);                                // has been stopped
	begin(1, 39 * PAGE, 10);                               // waits for ever, as Go's collector has found
	begin(2, 38 * PAGE, 4)->sp = base + 38 * PAGE + 2056;  // above its stack
	check(scan() && parts == 3);
	check(part[0].start == base + 40 * PAGE + 1000 && part[1].start == base + 39 * PAGE + 1000 && part[2].start == base + 38 * PAGE);
}

static void by_address(void)
{
	set_up();
	const uint64_t pages[] = {40, 33, 50, 37, 35, 41};
	for (int i = 0; i < 6; i++)
		begin(i, pages[i] * PAGE, 4)->start = pages[i];
	struct twin_goroutines index;
	check(twin_go_index(&go, &index) && index.count == 6);
	for (int i = 0; i < 6; i++) {
		const struct twin_goroutine *g = twin_go_goroutine(&index, base + pages[i] * PAGE);
		check(g != NULL && g->start == pages[i] && g->id == (uint64_t)i + 1 && g->used == g->lo + 1000);
		check(twin_go_goroutine(&index, g->hi - 1) == g && twin_go_goroutine(&index, g->hi) == NULL);
		check(twin_go_goroutine(&index, g->lo - 1) == NULL);
	}
	check(twin_go_goroutine(&index, 0) == NULL && twin_go_goroutine(&index, ~0ULL) == NULL);
	twin_go_forget(&index);
	check(index.at == NULL && twin_go_goroutine(&index, base + 40 * PAGE) == NULL);
}

static void unknown(void)
{
	for (int how = 0; how < 7; how++) {
		set_up();
		begin(0, 40 * PAGE, 4);
		check(scan());
		uint64_t list = lists[1], never = (uint64_t)all;
		switch (how) {
		case 0: memset(&go, 0, sizeof go); break;
		case 1: lists[1] = 0; break;
		case 2: lists[1] = 1ULL << 40; break;
		case 3: table[FIRST + 1] = 0; break;
		case 4: goroutines[1] = 1ULL << 40; break;
		case 5: go.readable = not_there, go.readable_arg = &never; break;
		case 6: go.lists = go.goroutines = 0; break;
		}
		check(!scan());
		struct twin_goroutines index;
		check(how < 4 || !twin_go_index(&go, &index));
		lists[1] = list;
	}
}

// What is outside of Go's heap.
static uint64_t variables[4], others[4];
static bool variables_known;

static bool give_variables(void *arg, twin_go_words *words, void *to)
{
	check(arg == &variables);
	words(to, (uint64_t)variables, (uint64_t)(variables + 4), 0);
	return variables_known;
}

static bool give_others(void *arg, twin_go_words *words, void *to)
{
	uint64_t here = (uint64_t)others;
	check(arg == &variables);
	words(to, here, here + sizeof others, 0x1000 - here); // a copy of what is elsewhere
	return true;
}

static void give_part(void *arg, uint64_t start, uint64_t limit, twin_go_words *words, void *to)
{
	check(arg == &variables);
	words(to, start, limit, 0);
}

// What was looked at, with what led to it; unless something had before.
static struct {
	uint64_t start, from;
} looked[64];
static int looks;
static bool many; // words are looked at

static void look(void *arg, uint64_t start, uint64_t limit, uint64_t bias, uint32_t root, uint64_t from)
{
	check(arg == &variables && bias == 0);
	if (many && limit - start == WORD)
		return;
	check(looks < 64);
	for (int i = 0; i < looks; i++)
		if (looked[i].start == start)
			return;
	looked[looks].start = start;
	looked[looks++].from = root == TWIN_ROOT_NONE ? from : twin_from(root, start);
	check(root == TWIN_ROOT_NONE || (root == TWIN_ROOT_GO_STACK && limit % PAGE == 2048));
}

static void rename_last(void *arg, uint64_t from, uint64_t to)
{
	check(arg == &variables);
	for (int i = looks; i > 0 && looked[i - 1].from == from; i--)
		looked[i - 1].from = to;
}

static const struct twin_go_outside outside = {give_variables, give_others, give_part, look, rename_last, variables};

// An object of the span on a page, and its words.
static uint64_t object(uint64_t page, uint64_t i)
{
	return base + page * PAGE + i * 1000;
}

static uint64_t *words_of(uint64_t at)
{
	return (uint64_t *)at;
}

struct record {
	uint64_t next, offset, kind, kept[3];
};
static struct record records[8];
static uint64_t closures[8];

// Gives an object of the first span on a page a record, behind those that it has.
static void keep(struct span *s, int i, uint64_t object, uint64_t kind, uint64_t argument)
{
	closures[i] = 0x5000 + (uint64_t)i;
	records[i] = (struct record){0, object - s->start, kind, {(uint64_t)&closures[i], 9, argument}};
	if (kind == 7)
		records[i].kept[1] = (uint64_t)&closures[i];
	uint64_t *last = &s->specials;
	while (*last != 0)
		last = &((struct record *)*last)->next;
	*last = (uint64_t)&records[i];
}

static struct twin_kept by;
static bool known;

// Follows all pointers.
static void keep_all(void)
{
	uint64_t taken = 0;
	looks = 0;
	twin_go_forget_kept(&by);
	twin_go_keep(&go, &outside, &by, &taken);
	known = by.bits != NULL && twin_go_keep_others(&go, &outside, &by, &taken);
	check(taken > 0);
}

static bool leads(uint64_t object, uint32_t root, uint64_t word)
{
	for (int i = 0; i < looks; i++)
		if (looked[i].start == object)
			return looked[i].from >> TWIN_ROOT_BITS == (root | TWIN_ROOT_IN_GO) && (word == 0 || (looked[i].from & TWIN_ADDRESS) == word);
	return false;
}

// Whether nothing leads to an object.
static bool is_left(uint64_t object)
{
	for (int i = 0; i < looks; i++)
		if (looked[i].start == object)
			return false;
	return by.bits == NULL || !twin_go_keeps(&go, &by, object + 999);
}

static struct span *put_whole(int i, uint64_t page, uint8_t class)
{
	struct span *s = put(i, page, 1, 1);
	s->free_index = s->count = s->objects, s->class = class;
	memset((void *)s->start, 0, PAGE);
	return s;
}

static void set_up_paths(void)
{
	set_up();
	processor[0] = 0;
	memset(variables, 0, sizeof variables), memset(others, 0, sizeof others), memset(records, 0, sizeof records);
	variables_known = true;
}

static void paths(void)
{
	set_up_paths();
	put_whole(0, 3, 0), put_whole(1, 4, 1);
	variables[0] = object(3, 1), *words_of(object(3, 1)) = object(3, 2), *words_of(object(3, 2)) = object(3, 3);
	variables[2] = object(3, 4) + 7, words_of(object(3, 4))[124] = object(3, 3); // the shorter one, by an address in the midst
	begin(0, 40 * PAGE, 4);
	*words_of(base + 40 * PAGE + 1000) = object(3, 5), *words_of(base + 40 * PAGE) = object(3, 6); // in use, and below
	others[1] = object(3, 0);
	variables[3] = object(4, 0), *words_of(object(4, 0)) = object(3, 7); // of an object without pointers
	variables[1] = object(4, 1);
	keep_all();
	check(leads(object(3, 3), TWIN_ROOT_DATA, (uint64_t)&variables[2]));
	check(leads(object(3, 5), TWIN_ROOT_GO_STACK, base + 40 * PAGE + 1000));
	check(leads(object(3, 0), TWIN_ROOT_GO_OTHER, 0x1008));
	check(known && is_left(object(3, 6)) && is_left(object(3, 7)));
	check(leads(object(4, 1), TWIN_ROOT_DATA, (uint64_t)&variables[1]));
	check(!twin_go_keeps(&go, &by, 8));
	variables_known = false; // then it is not known either what only the others keep
	keep_all();
	check(!known && is_left(object(3, 6)) && is_left(object(3, 0)) && is_left(object(3, 7)));
	variables_known = true, goroutines[1] = 1ULL << 40;
	keep_all();
	check(!known && is_left(object(3, 3)) && is_left(object(3, 7)));
}

// What the runtime has noted of goroutines and processors leads to what all of them keep.
static void apart(void)
{
	set_up_paths();
	put_whole(0, 3, 0), put_whole(1, 4, 0), put_whole(2, 0, 0); // the g lie on page 0
	struct g *g = begin(0, 40 * PAGE, 4);
	g->more[0] = object(3, 1);          // a function that is deferred
	processor[0] = object(4, 0) + 8;    // behind a word of the runtime's
	*words_of(object(4, 0) + 16) = object(3, 2); // a timer's
	variables[0] = object(3, 3), *words_of(object(3, 3)) = object(4, 0) + 500; // whoever waits for a timer
	variables[1] = object(3, 4), *words_of(object(3, 4)) = (uint64_t)g;
	keep_all();
	check(leads(object(3, 1), TWIN_ROOT_GO_STACK, base + 40 * PAGE + 2048 - 8));
	check(leads(object(3, 2), TWIN_ROOT_GO_OTHER, object(4, 0)));
	check(leads(object(3, 4), TWIN_ROOT_DATA, (uint64_t)&variables[1]));
	go.processors = 0;
	keep_all();
	check(!known && is_left(object(3, 4)));
}

// What is kept is not looked at again, but in a span that is being filled.
static void kept_first(void)
{
	set_up_paths();
	struct span *s = put_whole(0, 3, 0);
	begin(0, 40 * PAGE, 4);
	*words_of(base + 40 * PAGE + 1000) = object(3, 2);
	variables[0] = object(3, 5), *words_of(object(3, 5)) = object(3, 7);
	keep_all();
	check(known && looks == 4 && looked[0].start == object(3, 5) && looked[1].start == object(3, 7) && looked[3].start == object(3, 2));
	check(looked[2].start == base + 40 * PAGE + 1000 && looked[2].from >> TWIN_ROOT_BITS == TWIN_ROOT_GO_STACK);
	parts = 0;
	check(twin_go_scan(&go, &by, note, &parts) && parts == 3);
	check(is(0, object(3, 0), object(3, 2)) && is(1, object(3, 3), object(3, 5)) && is(2, object(3, 6), object(3, 7)));
	s->count = 7;
	parts = 0;
	check(twin_go_scan(&go, &by, note, &parts) && parts == 1 && is(0, s->start, s->start + PAGE));
	s->count = 8, variables_known = false;
	keep_all();
	parts = 0;
	check(by.bits == NULL && twin_go_scan(&go, &by, note, &parts) && parts == 2 && is(0, object(3, 0), object(3, 8)));
}

// A stale word leads to an object that is free by now. In a span that is being changed, none counts as free.
static void stale(void)
{
	set_up_paths();
	struct span *s = put(0, 3, 1, 1);
	memset((void *)s->start, 0, PAGE);
	s->free_index = 2, bits[0] = 0x08, s->count = 3; // 0, 1 and 3
	put_whole(1, 4, 0);
	variables[0] = object(3, 3), *words_of(object(3, 3)) = object(4, 0);
	variables[1] = object(3, 4), *words_of(object(3, 4)) = object(4, 1);
	keep_all();
	check(leads(object(4, 0), TWIN_ROOT_DATA, (uint64_t)variables) && known && is_left(object(3, 4)) && is_left(object(4, 1)));
	s->count = 4;
	keep_all();
	check(leads(object(4, 0), TWIN_ROOT_DATA, (uint64_t)variables) && leads(object(4, 1), TWIN_ROOT_DATA, (uint64_t)&variables[1]));
}

enum { FINALIZER = 2, CLEANUP = 7, PROFILE = 4 };

static bool is_looked_at(uint64_t start)
{
	for (int i = 0; i < looks; i++)
		if (looked[i].start == start)
			return true;
	return false;
}

// Several of the smallest objects lie in one place: a word there is kept by what points to it. Other words come after all that is in use.
static void smallest(void)
{
	set_up_paths();
	struct span *s = put_whole(0, 3, 0), *small = put_whole(1, 4, 5);
	small->size = 16, small->objects = small->count = small->free_index = 512;
	uint64_t at = small->start;
	variables[0] = object(3, 1), *words_of(object(3, 1)) = at + 32, variables[1] = at + 8;
	keep(s, 0, object(3, 2), FINALIZER, 0), *words_of(object(3, 2)) = at + 72;
	keep(small, 1, at + 80, FINALIZER, 0); // its neighbour is not kept
	keep(small, 2, at + 104, CLEANUP, at + 104), keep(small, 3, at + 96, CLEANUP, object(3, 3));
	keep(small, 4, at + 32, FINALIZER, 0);
	keep_all();
	check(known && twin_go_keeps(&go, &by, at + 32) && twin_go_keeps(&go, &by, at) && twin_go_keeps(&go, &by, at + 8) && !twin_go_keeps(&go, &by, at + 16));
	check(leads(at + 32, TWIN_ROOT_DATA, (uint64_t)variables) && leads(at + 8, TWIN_ROOT_DATA, (uint64_t)&variables[1]));
	check(leads(at + 72, TWIN_ROOT_FINALIZER, 0x5000) && leads(at + 80, TWIN_ROOT_FINALIZER, 0x5001));
	check(leads(at + 104, TWIN_ROOT_CYCLE, 0x5002) && leads(at + 96, TWIN_ROOT_FINALIZER, 0x5003));
	check(!is_looked_at(at) && !is_looked_at(at + 40) && !is_looked_at(at + 64) && !is_looked_at(at + 88));
	parts = 0;
	check(twin_go_scan(&go, &by, note, &parts) && parts == 3 && is(0, object(3, 0), object(3, 1)) && is(1, object(3, 2), object(3, 3)) && is(2, object(3, 4), object(3, 8)));
	parts = 0;
	check(twin_go_scan_smallest(&go, note, &parts) && parts == 1 && part[0].start == at && part[0].limit == at + PAGE);
	check(part[0].root == (TWIN_ROOT_GO_HEAP | TWIN_ROOT_SMALLEST));
	small->count = 511; // being changed
	check(scan() && parts == 1 && twin_go_scan_smallest(&go, note, &parts) && parts == 2 && part[1].start == at && part[1].limit == at + PAGE);
	small->count = 512, small->class = 4; // with pointers
	check(scan() && parts == 2 && twin_go_scan_smallest(&go, note, &parts) && parts == 2);
	small->class = 7, small->size = 32, small->objects = small->count = small->free_index = 256;
	check(scan() && parts == 2 && twin_go_scan_smallest(&go, note, &parts) && parts == 2);
	go.arenas = 0;
	check(!twin_go_scan_smallest(&go, note, &parts));
}

static void kept(void)
{
	set_up_paths();
	struct span *s = put_whole(0, 3, 0), *next = put_whole(1, 4, 0);
	keep(s, 0, object(3, 0), FINALIZER, 0), *words_of(object(3, 0)) = object(3, 1); // that has not run yet
	keep(s, 1, object(3, 2), PROFILE, object(3, 7));
	keep(s, 2, object(3, 2), FINALIZER, 0), *words_of(object(3, 2)) = object(3, 3), *words_of(object(3, 3)) = object(3, 2); // that never runs
	keep(s, 3, object(3, 4), CLEANUP, object(3, 5)); // of an object that is in use
	keep(next, 4, object(4, 0), CLEANUP, object(4, 1)); // of one that is not
	keep(next, 5, object(4, 2), CLEANUP, object(4, 2)); // that keeps its own
	keep(next, 6, object(4, 3), FINALIZER, 0);
	keep(next, 7, object(4, 4), FINALIZER, object(3, 7)), *words_of(object(4, 4)) = object(4, 3); // behind that of another
	variables[0] = object(3, 4);
	keep_all();
	check(leads(object(3, 0), TWIN_ROOT_FINALIZER, 0x5000) && leads(object(3, 1), TWIN_ROOT_FINALIZER, 0x5000));
	check(leads(object(3, 2), TWIN_ROOT_CYCLE, 0x5002) && leads(object(3, 3), TWIN_ROOT_CYCLE, 0x5002));
	check(leads(object(3, 5), TWIN_ROOT_DATA, (uint64_t)variables));
	check(leads(object(4, 0), TWIN_ROOT_FINALIZER, 0x5004) && leads(object(4, 1), TWIN_ROOT_FINALIZER, 0x5004));
	check(leads(object(4, 2), TWIN_ROOT_CYCLE, 0x5005));
	check(leads(object(4, 3), TWIN_ROOT_FINALIZER, 0x5006) && leads(object(4, 4), TWIN_ROOT_FINALIZER, 0x5007));
	check(known && is_left(object(3, 7))); // what is behind a finalizer's function is a number
	*words_of(object(3, 0)) = object(3, 0) + 8; // no pointer of an object to itself keeps it
	keep_all();
	check(leads(object(3, 0), TWIN_ROOT_FINALIZER, 0x5000));
	*words_of(object(3, 0)) = object(3, 1);
	go.span.specials = 0;
	keep_all();
	check(known && is_left(object(3, 1)) && is_left(object(3, 5)));
}

// An array leads to more objects than there is room for.
static void too_many(void)
{
	set_up_paths();
	const uint64_t count = 70000, first = 50;
	struct span *list = put(0, first, 70, 1), *all_of = put(1, first + 70, 70, 1);
	list->objects = list->free_index = list->count = 1, list->size = 70 * PAGE;
	all_of->size = 8, all_of->objects = all_of->count = 1; // being changed: all are in use
	for (uint64_t i = 0; i < count; i++)
		words_of(list->start)[i] = all_of->start + 8 * i;
	put_whole(2, 3, 0);
	variables[0] = list->start, *words_of(all_of->start) = object(3, 0), *words_of(all_of->start + 8 * (count - 1)) = object(3, 1);
	many = true;
	keep_all();
	check(leads(object(3, 0), TWIN_ROOT_DATA, (uint64_t)variables));
	check(!known && is_left(object(3, 1)) && is_left(object(3, 2)));
}

int main(void)
{
	run("runs of allocated objects are seen", runs);
	run("a span that is being changed is seen as a whole", inconsistent);
	run("stacks, free spans and pages of none are no objects", other_spans);
	run("an object that lies in two arenas is seen once", across_arenas);
	run("a goroutine's stack is seen from where it is in use", stacks);
	run("goroutines are found by address", by_address);
	run("what is not as expected is unknown", unknown);
	run("an object is kept by the nearest variable, else by a goroutine, else by others", paths);
	run("nothing leads through what the runtime has noted of goroutines and processors", apart);
	run("objects that are kept are looked at before others", kept_first);
	run("what is free is not looked at", stale);
	run("of the smallest objects, the words that pointers lead to are kept, and all others come last", smallest);
	run("what only finalizers and cleanups keep is told, also if they can never run", kept);
	run("what was not looked at for want of room is not known", too_many);
	return 0;
}
