// The way from C into Go, by the words that asmcgocall seems to have saved: in known Go code, and in a library's Go
// code that is not known as such.
#include <string.h>

#include "../../layout.h"
#include "../../lookup.h"
#include "../../objects.h"
#include "../../region.h"
#include "../../walk.h"
#include "check.h"
#include "code.h"

enum { GO = 0x30000, FUNCTION = 64, BELOW = 8, WORDS = 16, ABOVE = 8 };

static struct g {
	uintptr_t lo, hi;
	struct { struct g *g0; } *m;
} g, g0;
static __typeof__(*g0.m) m = {&g0};
static uintptr_t system_stack[16], goroutine[BELOW + WORDS + ABOVE], *const lo = goroutine + BELOW, *const hi = lo + WORDS;
static uint8_t code[2][1024], *const library = code[0], *const other = code[1];
static uint64_t frames[16];
static uint32_t depth; // of the last walk

static uintptr_t go_function(uint32_t number)
{
	return GO + number * FUNCTION + 4;
}

static void publish(void)
{
	struct index *index = region_at(region_reserve(sizeof *index + 2 * sizeof(struct range)));
	*index = (struct index){.count = 2, .go_module = 3, .cache = region_reserve(CACHE_ENTRIES * sizeof(struct cache_entry))};
	for (int i = 0; i < 2; i++) {
		uintptr_t start = (uintptr_t)code[i];
		index->ranges[i] = (struct range){.start = start, .limit = start + sizeof code[i], .base = start, .module = 5 + i,
						  .closable = true};
	}
	cgoheap_region->index = (char *)index - (char *)region_at(0);
}

static void begin(void)
{
	if (cgoheap_region != NULL)
		region_close();
	check(layout_open(NULL, 16 << 20, 1) == 0);
	publish();
	cgoheap_go = (struct go_layout){
		.own = {.text = {GO, GO + 4 * FUNCTION}, .asmcgocall = {GO, GO + FUNCTION}},
		.joined = true, .m_offset = offsetof(struct g, m),
	};
	g = (struct g){(uintptr_t)lo, (uintptr_t)hi, &m};
	g0 = (struct g){(uintptr_t)system_stack, (uintptr_t)(system_stack + 16), &m};
	memset(goroutine, 0, sizeof goroutine);
}

// A frame record, whose caller's is at next, or 0 for the root.
static void record_at(uintptr_t *at, uintptr_t next, uintptr_t pc)
{
#if defined(__aarch64__)
	at--; // the record lies below the stack pointer
#endif
	at[0] = next;
	at[1] = pc;
}

static const struct g *before; // the goroutine that a walk has joined already
static bool unfit;             // whether the walk may not be kept

// A walk that begins at a return to pc, where asmcgocall has saved how far below the stack's end of the g it left.
static enum end join_g(const struct g *of, uintptr_t pc, uintptr_t below)
{
	static struct thread thread;
	static struct copy copy;
	struct registers caller = {pc, (uintptr_t)&system_stack[4], 0};
#if defined(__aarch64__)
	system_stack[4] = (uintptr_t)of;
	system_stack[5] = below;
#else
	system_stack[4] = below;
	system_stack[5] = (uintptr_t)of;
#endif
	struct walk w;
	walk_begin(&w, &caller, frames, 16);
	walk_by_current(&w);
	copy.size = 0;
	w.memory = (struct memory){.thread = &thread, .lo = (uintptr_t)system_stack, .hi = (uintptr_t)(system_stack + 16), .own = true,
				   .copy = &copy};
	w.goroutine = (uintptr_t)before;
	enum end end = walk(&w);
	depth = w.depth;
	unfit = w.memory.unfit;
	return end;
}

static enum end join(uintptr_t pc, uintptr_t below)
{
	return join_g(&g, pc, below);
}

// With a record that the walk would believe.
static enum end from(uintptr_t *record)
{
	memset(goroutine, 0, sizeof goroutine);
	record_at(record, 0, go_function(2));
	return join(go_function(0), (uintptr_t)hi - (uintptr_t)record);
}

static void bounds(void)
{
	begin();
	check(from(hi - 4) == END_ROOT && depth == 2 && frames[1] == walk_frame(go_function(2) - 1, 3));
	check(from(lo) == END_ROOT && depth == 2);
	check(from(lo - 1) == END_GO_FRAME && depth == 0);
	check(from(lo - 4) == END_GO_FRAME && depth == 0);
	check(from(hi - 1) == END_GO_FRAME && depth == 0); // the record would end beyond
	check(from(hi) == END_GO_FRAME && from(hi + 2) == END_GO_FRAME);
	g.lo = (uintptr_t)(hi + 2);
	check(from(hi - 4) == END_GO_FRAME); // the stack would end before it begins
	region_close();
}

// Records of a goroutine lead to higher addresses. Another one would let a walk go in circles.
static void backwards(void)
{
	begin();
	record_at(hi - 4, (uintptr_t)lo, go_function(2));
	check(join(go_function(0), 4 * sizeof *hi) == END_BACKWARDS);
	region_close();
}

// Joins at a g that the walk has not met, whose m's g0 has the stack from begin to end.
static enum end join_with_stack(uintptr_t begin, uintptr_t end)
{
	static struct g met[3], its_g0;
	static __typeof__(*its_g0.m) its_m = {&its_g0};
	static int count;
	struct g *next = &met[count++];
	*next = (struct g){(uintptr_t)lo, (uintptr_t)hi, &its_m};
	its_g0 = (struct g){begin, end, &its_m};
	return join_g(next, go_function(0), 4 * sizeof *hi);
}

// What the saved word leads to is a g if its m's g0 has the stack that the walk is on.
static void other_stacks(void)
{
	uintptr_t at = (uintptr_t)system_stack;
	begin();
	record_at(hi - 4, 0, go_function(2));
	check(join_with_stack(at - 256, at - 128) == END_GO_FRAME);
	check(join_with_stack(at + sizeof system_stack, at + (64 << 20)) == END_GO_FRAME);
	check(join_with_stack(at, at + sizeof system_stack) == END_ROOT);
	region_close();
}

// A walk that joins a second goroutine may read words of the first one's stack, which may go away.
static void second_goroutine(void)
{
	struct g first = {0};
	begin();
	record_at(hi - 4, 0, go_function(2));
	check(join(go_function(0), 4 * sizeof *hi) == END_ROOT); // verified now
	check(join(go_function(0), 4 * sizeof *hi) == END_ROOT && !unfit);
	before = &first;
	check(join(go_function(0), 4 * sizeof *hi) == END_ROOT && unfit);
	before = NULL;
	region_close();
}

// The frames of asmcgocall and of its caller.
static enum end from_library(uintptr_t asmcgocall, uintptr_t caller)
{
	record_at(hi - 4, 0, caller);
	return join(asmcgocall, 4 * sizeof *hi);
}

static void new_code(void)
{
	begin();
	uintptr_t asmcgocall = code_at(library + 64, true), caller = code_at(library + 128, true);
	uintptr_t not_called = code_at(library + 192, false), elsewhere = code_at(other + 128, true);
	check(from_library(asmcgocall, caller) == END_ROOT && depth == 2 && frames[1] == walk_frame(caller - 1, 5));
	check(from_library(asmcgocall, not_called) == END_NO_UNWIND && depth == 1);
	check(from_library(not_called, caller) == END_NO_UNWIND && depth == 1);
	check(from_library(asmcgocall, elsewhere) == END_NO_UNWIND && depth == 1);
	check(from_library(asmcgocall, go_function(2)) == END_NO_UNWIND && depth == 1);
	region_close();
}

int main(void)
{
	run("a goroutine's stack is entered inside its bounds", bounds);
	run("a goroutine's records that do not lead up are not followed", backwards);
	run("a g whose thread has another stack is none", other_stacks);
	run("a walk that joins two goroutines is not kept", second_goroutine);
	run("a library's code is Go code if its asmcgocall was called there, from the same library", new_code);
}
