// Walks that learn from the last one against walks that do not, on stacks that the test makes up.
//
// A frame of C is a word at an odd index of a stack, the address that it returns to; the even word below it is a frame
// pointer, which points to another even word, mostly further up. Any such words are a stack, and rules of every kind
// can walk it. Between two walks a few words change, so that most of the second walk equals the first.
#include <string.h>

#include "../../last.h"
#include "../../layout.h"
#include "../../lookup.h"
#include "../../region.h"
#include "../../stacks.h"
#include "check.h"

enum { WORDS = 48, GO_WORDS = 16, ROOM = 64, RUNS = 1200 / SCALE, WALKS = 1000, MOST = 80 };
enum { CODE = 0x10000, LIBRARY = 0x20000, GO = 0x30000, PLUGIN = 0x40000, FUNCTION = 64 }; // addresses, each function's and its return's apart

static const struct rule rules[] = {
	{.cfa = CFA_FROM_SP, .cfa_offset = 8, .ra = RA_UNDEFINED}, // the first function of a thread
	{.cfa = CFA_FROM_SP, .cfa_offset = 16, .ra_offset = -8},
	{.cfa = CFA_FROM_SP, .cfa_offset = 32, .ra_offset = -8},
	{.cfa = CFA_FROM_SP, .cfa_offset = 32, .ra_offset = -8, .fp = FP_FROM_CFA, .fp_offset = -16},
	{.cfa = CFA_FROM_FP, .cfa_offset = 16, .ra_offset = -8, .fp = FP_FROM_CFA, .fp_offset = -16},
	{.cfa = CFA_FROM_FP, .cfa_offset = 16, .ra_offset = -8},
	{.cfa = CFA_FROM_SP, .cfa_offset = 16, .ra_offset = -8, .fp = FP_FROM_FP},
	{.cfa = CFA_FROM_SP, .cfa_offset = 16, .ra_offset = 8, .ra = RA_FROM_SP, .fp = FP_FROM_SP},
	{.cfa = CFA_DEREF_FP, .cfa_extra = 16, .ra_offset = -8, .fp = FP_FROM_FP},
	{.cfa = CFA_DEREF_SP, .cfa_extra = 16, .ra_offset = -8},
	{.cfa = CFA_FROM_SP, .cfa_offset = 16, .ra_offset = -8, .fp = FP_UNKNOWN},
	{.cfa = CFA_NONE},
	{.cfa = CFA_UNKNOWN},
	{.cfa = CFA_FROM_SP, .cfa_offset = 16, .ra_offset = -8, .flags = FLAG_SIGNAL_FRAME},
};
enum { RULES = sizeof rules / sizeof *rules, GO_FUNCTIONS = 5 };

static uintptr_t room[ROOM + WORDS + ROOM], *const words = room + ROOM; // zeroes around it: each walk ends there
static uintptr_t go_room[2][ROOM + GO_WORDS + ROOM];
static struct g {
	uintptr_t lo, hi;
	struct { struct g *g0; } *m;
} goroutines[2], g0;
static __typeof__(*g0.m) m = {&g0};
static struct registers caller;
static uint64_t libraries, random_state;

static uint32_t draw(uint32_t below)
{
	random_state = random_state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (uint32_t)(random_state >> 33) % below;
}

static uintptr_t return_to(uintptr_t code, uint32_t function)
{
	return code + function * FUNCTION + 4;
}

// The program's Go code or the plugin's, which look the same.
static uintptr_t go_text(void)
{
	return draw(2) == 0 ? GO : PLUGIN;
}

// A function; nearly always one that walks go through.
static uintptr_t a_function(void)
{
	switch (draw(24)) {
	case 0:
		return return_to(go_text(), 1 + draw(GO_FUNCTIONS - 1));
	case 1 ... 3:
		return return_to(LIBRARY, 1 + draw(4));
	case 4:
		return return_to(CODE, draw(RULES));
	case 5 ... 12:
		return return_to(CODE, 1 + draw(9));
	default:
		return return_to(CODE, 1 + draw(3));
	}
}

static void set_go_word(uint32_t of, uint32_t i)
{
	uintptr_t *stack = go_room[of] + ROOM;
	if (i % 2 == 1)
		stack[i] = i > GO_WORDS - 3 ? 0 : return_to(go_text(), 1 + draw(GO_FUNCTIONS - 1));
	else if (draw(4) == 0)
		stack[i] = (uintptr_t)&words[2 * draw(WORDS / 2)];
	else
		stack[i] = (uintptr_t)&stack[draw(4) == 0 ? 2 * draw(GO_WORDS / 2) : i + 2];
}

// The words that asmcgocall saves above its return address.
static void set_call(uint32_t i)
{
	uint32_t of = draw(2);
	uintptr_t call[2] = {GO_WORDS * 8 - 16 * draw(GO_WORDS / 2 - 1), (uintptr_t)&goroutines[of]};
#if defined(__aarch64__)
	words[i] = return_to(go_text(), 0);
	words[i + 1] = call[1];
	words[i + 2] = call[0] - 8; // the frame record lies below
#else
	words[i] = return_to(go_text(), 0);
	memcpy(&words[i + 1], call, sizeof call);
#endif
}

static bool is_call(uint32_t i)
{
	return words[i] == return_to(GO, 0) || words[i] == return_to(PLUGIN, 0);
}

static void set_word(uint32_t i)
{
	bool was = is_call(i);
	if (i > WORDS - 8)
		words[i] = i % 2 == 1 ? return_to(CODE, 0) : (uintptr_t)&words[WORDS - 2];
	else if (i >= 2 && is_call(i - 1 - i % 2))
		return; // what it saved
	else if (i % 2 == 0)
		words[i] = (uintptr_t)&words[draw(16) == 0 ? 2 * draw(WORDS / 2) : i + 6 + 2 * draw(4)];
	else if (i < WORDS - 10 && draw(12) == 0)
		set_call(i);
	else
		words[i] = a_function();
	for (uint32_t k = i + 1; was && k < i + 3; k++)
		set_word(k);
}

static void set_goroutine(uint32_t of)
{
	uintptr_t *stack = go_room[draw(8) == 0 ? 1 - of : of] + ROOM;
	goroutines[of].lo = (uintptr_t)(stack + 4 * (draw(8) == 0));
	goroutines[of].hi = (uintptr_t)(stack + GO_WORDS);
	goroutines[of].m = g0.m = &m;
	g0.lo = (uintptr_t)room;
	g0.hi = (uintptr_t)room + sizeof room;
}

static uint64_t reserve(const void *from, size_t size)
{
	uint64_t at = region_reserve(size);
	memcpy(region_at(at), from, size);
	return at;
}

static struct range functions(uintptr_t start, uint16_t module)
{
	uint32_t pcs[RULES];
	uint16_t numbers[RULES];
	for (int i = 0; i < RULES; i++) {
		pcs[i] = i * FUNCTION;
		numbers[i] = i;
	}
	return (struct range){.start = start, .limit = start + RULES * FUNCTION, .base = start, .rows = RULES, .module = module,
			      .pcs = reserve(pcs, sizeof pcs), .rules = reserve(numbers, sizeof numbers),
			      .set = reserve(rules, sizeof rules)};
}

static struct go_code go_code(uintptr_t at, uint16_t module)
{
	return (struct go_code){.text = {at, at + GO_FUNCTIONS * FUNCTION}, .asmcgocall = {at, at + FUNCTION},
				.crosscall2 = {at + FUNCTION, at + 2 * FUNCTION}, .module = module};
}

static struct range plugin(void)
{
	struct go_code code = go_code(PLUGIN, 5);
	return (struct range){.start = PLUGIN, .limit = code.text.hi + FUNCTION, .module = 5, .go = reserve(&code, sizeof code)};
}

// Another library replaces the old one; the index is published later, if at all.
static void publish(void)
{
	static struct index *index;
	static uint64_t number;
	if (number++ == 0 || cgoheap_region->index == 0) {
		index = region_at(region_reserve(sizeof *index + 3 * sizeof(struct range)));
		*index = (struct index){.count = 3, .go_module = 3, .plugins = 1, .cache = region_reserve(CACHE_ENTRIES * sizeof(struct cache_entry))};
		index->ranges[0] = functions(CODE, 1);
		index->ranges[1] = functions(LIBRARY, 6);
		index->ranges[1].closable = true;
		index->ranges[2] = plugin();
	}
	memset(region_at(index->cache), 0, CACHE_ENTRIES * sizeof(struct cache_entry));
	index->number = number;
	index->ranges[1].module = 6 + number % 100;
	index->loads = (struct loads){.words = {{&libraries, libraries}}, .count = libraries, .adds = 1};
	cgoheap_region->index = (char *)index - (char *)region_at(0);
}

// Only a few, so that many walks begin as an earlier one did.
static struct registers a_caller(void)
{
	return (struct registers){return_to(CODE, 1 + draw(4)), (uintptr_t)&words[2 * draw(2)], (uintptr_t)&words[16 + 4 * draw(3)]};
}

static void begin(uint64_t seed)
{
	if (cgoheap_region != NULL)
		region_close();
	check(layout_open(NULL, 16 << 20, 1) == 0);
	random_state = seed;
	caller = a_caller();
	publish();
	cgoheap_go = (struct go_layout){.own = go_code(GO, 0), .joined = true, .m_offset = offsetof(struct g, m)};
	for (uint32_t i = 0; i < WORDS; i++)
		set_word(i);
	for (uint32_t of = 0; of < 2; of++) {
		set_goroutine(of);
		for (uint32_t i = 0; i < GO_WORDS; i++)
			set_go_word(of, i);
	}
}

// much: the inner frames differ each time.
static void change(bool much)
{
	for (uint32_t n = much ? 10 : 0; n > 0; n--)
		set_word(draw(WORDS / 2));
	if (draw(2) == 0)
		caller = a_caller();
	for (uint32_t n = draw(3); n > 0; n--)
		set_word(draw(1 + draw(WORDS)));
	if (draw(2) == 0)
		set_go_word(draw(2), draw(GO_WORDS));
	if (draw(16) == 0)
		set_goroutine(draw(2));
	if (draw(128) == 0)
		libraries++;
	if (draw(32) == 0)
		publish();
}

static struct walk from_caller(struct thread *t, uint64_t *frames, size_t max)
{
	struct walk w;
	walk_begin(&w, &caller, frames, max);
	walk_by_current(&w);
	static struct copy copy;
	w.memory = (struct memory){.thread = t, .lo = (uintptr_t)room, .hi = (uintptr_t)room + sizeof room, .own = true, .copy = &copy};
	copy.size = 0;
	return w;
}

// Whether a frame is in one of the first functions there.
static bool is_in(uintptr_t code, uint32_t functions, uint64_t frame)
{
	return (frame & 0xffffffffffff) - code < functions * FUNCTION;
}

// Whether Go frames have the modules of their code.
static bool has_modules(const struct walk *w)
{
	for (size_t i = 0; i < w->depth; i++)
		if ((is_in(GO, GO_FUNCTIONS, w->frames[i]) && w->frames[i] >> 48 != 3) ||
		    (is_in(PLUGIN, GO_FUNCTIONS, w->frames[i]) && w->frames[i] >> 48 != 5))
			return false;
	return true;
}

// Whether from there up only C returns to asmcgocall, as in real programs.
static bool possible(struct thread *t)
{
	uint64_t frames[MOST];
	struct walk w = from_caller(t, frames, MOST);
	walk(&w);
	for (size_t i = 1; i < w.depth; i++)
		if ((is_in(GO, 1, frames[i]) || is_in(PLUGIN, 1, frames[i])) &&
		    (is_in(GO, GO_FUNCTIONS, frames[i - 1]) || is_in(PLUGIN, GO_FUNCTIONS, frames[i - 1])))
			return false;
	return true;
}

struct tally_of_walks {
	uint32_t roots, cut, known, shared, goroutines, plugins, met_in_go, met_in_plugin;
	uint32_t partly, partly_known; // walks that were not learned from their first frame on, and those of them that knew frames
	uint64_t frames, below; // all frames, and the frames that the last walk did not know
};

// The stack's nodes have these frames, and this end.
static bool has_frames(uint32_t stack, const struct walk *w, enum end end)
{
	uint32_t node = ((const struct stack *)region_ref(stack))->node;
	for (size_t i = 0; i < w->depth; i++) {
		const struct node *n = region_ref(node);
		if (node < STACK_ENDS || ((const struct frame *)region_ref(n->frame))->frame != w->frames[i] ||
		    (n->caller >= STACK_ENDS && n->caller >= node))
			return false;
		node = n->caller;
	}
	return node == end;
}

static void compare(struct thread *t, size_t max, struct tally_of_walks *sum)
{
	uint64_t frames[MOST], learned[MOST];
	if (!possible(t))
		return;
	struct walk alone = from_caller(t, frames, max), w = from_caller(t, learned, max);
	enum end want = walk(&alone);
	last_begin(&w, 0);
	bool partly = w.knows != NULL && w.asks_from > w.at.sp;
	enum end end = walk(&w);
	uint32_t known = last_known(&w);
	sum->partly += partly;
	sum->partly_known += partly && known > 0;
	check(end == want && w.goroutine == alone.goroutine && w.depth == alone.depth && known <= w.depth);
	sum->known += known > 0 && known == w.depth;
	sum->shared += known > 0 && known < w.depth;
	check(has_modules(&alone));
	sum->goroutines += w.goroutine != 0;
	sum->met_in_go += known > 0 && is_in(GO, GO_FUNCTIONS, frames[w.depth - known]);
	sum->met_in_plugin += known > 0 && is_in(PLUGIN, GO_FUNCTIONS, frames[w.depth - known]);
	sum->plugins += alone.go != NULL && alone.go != &cgoheap_go.own;
	sum->roots += end == END_ROOT;
	sum->cut += end == END_DEPTH;
	sum->frames += w.depth;
	sum->below += w.depth - known;
	uint32_t stack = last_end(&w, end);
	check(has_frames(stack, &alone, want));
	check(stack_intern(frames, alone.depth, stack_root(want)) == stack);
}

static void learning(void)
{
	struct tally_of_walks sum = {0};
	for (uint64_t seed = 0; seed < RUNS; seed++) {
		struct thread t = {.number = 1};
		begin(seed);
		for (int i = 0; i < WALKS; i++, change(seed % 4 == 2))
			compare(&t, seed % 2 == 0 ? MOST : 6, &sum);
	}
	uint32_t all = RUNS * WALKS;
	check(sum.partly > all / 150 && sum.partly_known > all / 400);
	check(sum.roots > all / 5 && sum.cut > all / 8 && sum.known > all / 16 && sum.shared > all / 24 && sum.goroutines > all / 6 && sum.plugins > all / 24);
	check(sum.met_in_go > all / 200 && sum.met_in_plugin > sum.met_in_go / 8 * 7); // they are drawn alike
}

// Walks that differ in all but their outermost frames are learned only near where they meet; as soon as they no longer
// differ, as a whole.
static void learning_less(void)
{
	struct tally_of_walks differing = {0}, equal = {0};
	struct thread t = {.number = 1};
	begin(1);
	caller = (struct registers){return_to(CODE, 1), (uintptr_t)words, 0};
	for (uint32_t i = 0; i < WORDS; i++)
		words[i] = i % 2 == 0 ? 0 : return_to(CODE, i < WORDS - 1);
	for (int n = 0; n < 256; n++) {
		for (uint32_t i = 1; i < 40; i += 2)
			words[i] = return_to(draw(2) == 0 ? CODE : LIBRARY, 1);
		compare(&t, MOST, &differing);
	}
	check(differing.partly > 128 && differing.partly_known == differing.partly);
	for (int n = 0; n < 16; n++)
		compare(&t, MOST, &equal);
	check(equal.partly <= 1 && equal.known >= 13);
}

// Where one return address in the middle changes, only the frames up to there are walked by rules.
static void joining_again(void)
{
	struct tally_of_walks first = {0}, second = {0};
	struct thread t = {.number = 1};
	begin(1);
	caller = (struct registers){return_to(CODE, 1), (uintptr_t)words, 0};
	for (uint32_t i = 0; i < WORDS; i++)
		words[i] = i % 2 == 0 ? 0 : return_to(CODE, i < WORDS - 1);
	compare(&t, MOST, &first);
	words[9] = return_to(LIBRARY, 1);
	compare(&t, MOST, &second);
	check(first.frames > 20 && first.below == first.frames && second.frames == first.frames && second.below < 8);
}

// The number of frames that the second of two walks knows from the first, where words from limit on are copied.
static uint32_t known_again(struct thread *t, uintptr_t limit)
{
	uint64_t frames[MOST];
	uint32_t known = 0;
	for (int i = 0; i < 2; i++) {
		struct walk w = from_caller(t, frames, MOST);
		w.memory.hi = limit;
		last_begin(&w, 0);
		enum end end = walk(&w);
		check(end == END_ROOT && w.depth > 20);
		known = last_known(&w);
		check(last_end(&w, end) != 0);
		memory_end(&w.memory);
	}
	return known;
}

// A copied word may be unmapped before the next walk.
static void copied_words(void)
{
	struct thread t = {.number = 1}, other = {.number = 2};
	begin(1);
	caller = (struct registers){return_to(CODE, 1), (uintptr_t)words, 0};
	for (uint32_t i = 0; i < WORDS; i++)
		words[i] = i % 2 == 0 || i == WORDS - 1 ? 0 : return_to(CODE, 1);
	check(known_again(&t, (uintptr_t)&words[WORDS]) > 20);
	check(known_again(&other, (uintptr_t)&words[WORDS - 1]) == 0);
}

enum { DEEP = 2 * (MEMORY_WORDS + 64), LATE = DEEP - 64 };

// Begins a walk of stack from a word on, by the thread that has it.
static struct walk on_stack(struct thread *t, uintptr_t *stack, uint32_t at)
{
	static uint64_t frames[DEEP];
	caller = (struct registers){return_to(CODE, 1), (uintptr_t)&stack[at], 0};
	struct walk w = from_caller(t, frames, DEEP);
	w.memory.lo = (uintptr_t)stack;
	w.memory.hi = (uintptr_t)&stack[DEEP];
	last_begin(&w, 0);
	return w;
}

// Makes such a walk, and returns how many frames it knew.
static uint32_t walk_from(struct thread *t, uintptr_t *stack, uint32_t at)
{
	struct walk w = on_stack(t, stack, at);
	enum end end = walk(&w);
	check(end == END_ROOT && w.depth >= (DEEP - at) / 2);
	uint32_t known = last_known(&w);
	check(last_end(&w, end) != 0);
	return known;
}

// Below the height that a walk is learned from, it reads as many words as it likes. Only of frames that are not plain may
// words be noted there.
static void words_below_where_it_learns(void)
{
	static uintptr_t stack[DEEP];
	struct thread t = {.number = 1};
	begin(1);
	for (uint32_t i = 1; i < DEEP; i += 2) {
		stack[i - 1] = (uintptr_t)&stack[i - 1];
		stack[i] = return_to(CODE, i < LATE ? 9 : i < DEEP - 1);
	}
	for (int n = 0; n < 8; n++) {
		for (uint32_t i = LATE + 1; i < LATE + 20; i += 2)
			stack[i] = return_to(n % 2 == 0 ? CODE : LIBRARY, 1);
		walk_from(&t, stack, LATE);
	}
	check(walk_from(&t, stack, 0) > 10);
}

// A walk of more frames than there is room for.
static void deep_walks(void)
{
	static uintptr_t stack[DEEP];
	struct thread t = {.number = 1};
	begin(1);
	for (uint32_t i = 1; i < DEEP; i += 2)
		stack[i] = return_to(CODE, i < DEEP - 1);
	struct walk w = on_stack(&t, stack, DEEP - 300);
	check(w.knows != NULL);
	check(walk(&w) == END_ROOT && w.depth > 100 && !w.memory.unfit && w.knows == NULL);
}

int main(void)
{
	run("a walk that left the last one joins it again", joining_again);
	run("walks that differ much are learned from where they meet", learning_less);
	run("a walk that begins far below where it is learned from knows the rest", words_below_where_it_learns);
	run("a walk that read copied words is not learned from", copied_words);
	run("a walk of more frames than there is room for is not learned from", deep_walks);
	run("a walk that learns finds what one finds that does not", learning);
}
