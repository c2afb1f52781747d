// Go's memory as a twin reads it: a heap that is made up, in all the states that a moment can catch it in.
#include "../../twin_go.h"

#include <stdint.h>
#include <sys/mman.h>

#include "check.h"

#define PAGE 8192ULL
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
	uint64_t size;
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
			      .goroutines = (uint64_t)goroutines, .span = {24, 32, 48, 50, 64, 96, 99, 104},
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
	return twin_go_scan(&go, note, &parts);
}

static bool is(int i, uint64_t start, uint64_t limit)
{
	return i < parts && part[i].start == start && part[i].limit == limit && part[i].root == TWIN_ROOT_GO_HEAP;
}

static void runs(void)
{
	set_up();
	struct span *s = put(0, 3, 2, 1);
	s->free_index = 2, bits[0] = 0x3a, bits[1] = 0x80, s->count = 6; // 0, 1, then 3, 4, 5 and 15
	uint64_t at = s->start;
	check(scan() && parts == 3);
	check(is(0, at, at + 2000) && is(1, at + 3000, at + 6000) && is(2, at + 15000, at + 16000));
	struct twin_object o;
	check(twin_go_object(&go, at + 3999, &o) && o.start == at + 3000 && o.size == 1000);
	check(!twin_go_object(&go, at + 2000, &o) && !twin_go_object(&go, at + 16000, &o) && !twin_go_object(&go, at - 1, &o));
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
	struct twin_object o;
	check(!twin_go_object(&go, base + 3 * PAGE, &o) && !twin_go_object(&go, base + 12 * PAGE, &o));
}

static void across_arenas(void)
{
	set_up();
	struct span *s = put(0, PAGES - 3, 10, 1), *next = put(1, PAGES + 7, 1, 1);
	s->objects = s->free_index = s->count = 1, s->size = 10 * PAGE;
	next->free_index = next->count = 8;
	check(scan() && parts == 2 && is(0, s->start, s->start + 10 * PAGE) && is(1, next->start, next->start + 8000));
	struct twin_object o;
	check(twin_go_object(&go, base + TWIN_GO_ARENA + 1, &o) && o.start == s->start);
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

int main(void)
{
	run("runs of allocated objects are seen", runs);
	run("a span that is being changed is seen as a whole", inconsistent);
	run("stacks, free spans and pages of none are no objects", other_spans);
	run("an object that lies in two arenas is seen once", across_arenas);
	run("a goroutine's stack is seen from where it is in use", stacks);
	run("goroutines are found by address", by_address);
	run("what is not as expected is unknown", unknown);
	return 0;
}
