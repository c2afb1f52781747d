//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

// A walk is a function of the registers that it begins with, of the index, and of the words that it reads. So if it
// comes to a frame with the registers that the thread's last walk had there, and all the words that the last walk read
// from there on still have their values, the rest is the same. No rules are looked up; only words are compared, in the
// order in which they were read, so that each address was checked before it is used. Where a word differs, the walk
// goes on by rules, and compares again at the first frame that the last walk found after reading that word.
//
// A walk is kept if it came to its root on the thread's own stack and the goroutine's stack: words that were readable
// there stay readable as long as the words that led to them are unchanged.
//
// Where walks differ in many frames near the leaf, these frames are not kept: see choose.

#include "last.h"

#include "gate.h"
#include "region.h"
#include "stacks.h"

// The words that a walk follows lie in frames of the program, which sanitizers do not allow other code to read.
#define READS_FRAMES __attribute__((no_sanitize("address", "thread")))

#define STEPS 96
#define WORDS MEMORY_WORDS

// A walk's state at a frame. It takes one cache line.
struct step {
	uint64_t frame;
	uintptr_t height; // what rises from frame to frame: fp in Go, sp in C
	uintptr_t sp, fp, fp_at;
	struct stack_hash hash; // of the frames from here to the root
	uint16_t words; // the index of the first word that was read from here on
	uint16_t part;  // how often the walk had gone from C to Go or back
	bool fp_known, fp_given, joined;
};

// The last walk in a home at the gate, which is nearly always the thread's. Its steps and words, leaf first, stand at
// the end of their arrays; the steps and words of the current walk at the beginning of the other arrays.
struct last {
	uint32_t thread; // whose walk it is
	uint64_t index;  // the number of the index that it went by
	uint32_t stack;  // ref of the stack that it found
	bool fp_used;    // its result depended on the frame pointer that it began with
	uint32_t first;  // STEPS for no walk
	uintptr_t go_lo, go_hi, goroutine; // the goroutine that it joined
	const struct step *cursor; // its first step that the current walk may come to
	uintptr_t next;  // the height of cursor; above all heights if cursor is not in the current part
	uint32_t known;  // the step at which the current walk met it; STEPS for none
	uint32_t fresh;  // how many steps the current walk made before that
	struct stack_hash hash; // of the current walk's stack, once it has met the last one
	uint16_t part;   // the part that the current walk is in
	bool go;
	bool quiet;      // the current walk has not come to the height that it is learned from
	uint8_t idle;    // how many walks in a row made many steps before they met the last one
	uint32_t below;  // how many frames the last walk found before its first step
	uintptr_t from;  // the height in C that the current walk is learned from; 0: its beginning
	struct step steps[STEPS], fresh_steps[STEPS];
	struct word words[WORDS], fresh_words[WORDS];
};

uint64_t last_size(void)
{
	return GATE_HOMES * sizeof(struct last);
}

static bool knows(struct walk *w, uint64_t frame);

// Notes that the current walk may come to s, but to no step before it.
static void go_on(struct last *l, const struct step *s)
{
	l->cursor = s;
	l->next = s < &l->steps[STEPS] && s->part == l->part ? s->height : UINTPTR_MAX;
}

void last_begin(struct walk *w, uint32_t slot)
{
	struct thread *t = w->memory.thread;
	struct last *l = (struct last *)region_at(cgoheap_region->lasts) + slot;
	if (slot >= GATE_HOMES || w->index == NULL || w->stale || !w->memory.own)
		return;
	if (l->thread != t->number || l->index != w->index->number) {
		l->thread = t->number;
		l->index = w->index->number;
		l->first = STEPS;
		l->from = l->idle = 0;
	}
	l->known = STEPS;
	l->fresh = l->part = 0;
	l->go = false; // a walk begins in C
	l->quiet = l->from != 0;
	go_on(l, &l->steps[l->first]);
	w->knows = knows;
	w->knower = l;
	w->memory.log = l->quiet ? NULL : l->fresh_words;
	w->asks_from = l->from;
}

static __attribute__((noinline)) void unlearn(struct walk *w)
{
	w->knows = NULL;
	w->knower = NULL;
	w->memory.log = NULL;
	w->asks_from = UINTPTR_MAX;
}

// Begins to learn at the current frame, unless that is in the first part and below the height to learn from.
static __attribute__((noinline)) bool learns(struct walk *w, struct last *l)
{
	if (l->part == 0 && w->at.sp < l->from)
		return false;
	l->quiet = false;
	w->asks_from = 0;
	w->memory.log = l->fresh_words;
	return true;
}

static bool joined(const struct walk *w)
{
	return w->memory.go_hi != 0;
}

// Whether fp is the same. A register that has not been read yet is the same if it is saved at the same address. A
// register that the walk began with may differ if the last walk did not use it: functions use it for data.
static bool same_fp(const struct walk *w, const struct last *l, const struct step *s)
{
	if (s->fp_known != w->fp_known || s->fp_at != w->fp_at || s->fp_given != w->fp_given)
		return false;
	return !s->fp_known || s->fp_at != 0 || (s->fp_given && !l->fp_used) || s->fp == w->at.fp;
}

static bool same(const struct walk *w, const struct last *l, const struct step *s)
{
	if (s->sp != w->at.sp || s->joined != joined(w) || !same_fp(w, l, s))
		return false;
	return !s->joined || (w->memory.go_lo == l->go_lo && w->memory.go_hi == l->go_hi);
}

// Notes that the current walk has gone from C to Go or back.
static __attribute__((noinline)) void change_part(struct last *l)
{
	l->go = !l->go;
	l->part++;
	const struct step *s = l->cursor;
	while (s < &l->steps[STEPS] && s->part < l->part)
		s++;
	go_on(l, s);
}

// Returns the first word, from the given one on, that has changed; WORDS if none has.
static READS_FRAMES uint32_t first_changed(const struct last *l, uint32_t word)
{
	while (word < WORDS && *(const volatile uintptr_t *)l->words[word].address == l->words[word].value)
		word++;
	return word;
}

// Whether the last walk would go the same way from its step s on. If not, the current walk cannot meet any step up to
// the one that read the changed word.
static bool leads_on(struct last *l, const struct step *s)
{
	uint32_t changed = first_changed(l, s->words);
	if (changed == WORDS)
		return true;
	while (++s < &l->steps[STEPS] && s->words <= changed)
		;
	go_on(l, s);
	return false;
}

static inline void record(const struct walk *w, struct last *l, uint64_t frame, uintptr_t height)
{
	struct step *s = &l->fresh_steps[l->fresh++];
	s->frame = frame;
	s->height = height;
	s->sp = w->at.sp;
	s->fp = w->at.fp;
	s->fp_at = w->fp_at;
	s->words = w->memory.logged;
	s->part = l->part;
	s->fp_known = w->fp_known;
	s->fp_given = w->fp_given;
	s->joined = joined(w);
}

// Returns the hash of the stack: frames on top of a trunk, the last of which are the fresh steps'. Stores the hash at each
// fresh step.
static struct stack_hash hash_fresh(struct last *l, const uint64_t *frames, uint32_t below, struct stack_hash hash)
{
	for (struct step *s = &l->fresh_steps[l->fresh]; s-- > l->fresh_steps;)
		s->hash = hash = stack_hash(hash, s->frame);
	for (const uint64_t *f = &frames[below]; f-- > frames;)
		hash = stack_hash(hash, *f);
	return hash;
}

// Called at a frame as high as the last walk's step s. Whether the remaining frames are the last walk's.
static __attribute__((noinline)) bool meets(struct walk *w, struct last *l, uint64_t frame)
{
	const struct step *s = l->cursor;
	uint32_t known = s - l->steps;
	if (s->frame != frame || !same(w, l, s) || STEPS - known > w->max - w->depth)
		return false;
	if (w->depth + known + l->below != l->first) { // it is another stack
		l->hash = hash_fresh(l, w->frames, w->depth - l->fresh, s->hash);
		stack_prefetch(l->hash); // while words are compared
	}
	if (!leads_on(l, s))
		return false;
	l->known = known;
	w->fp_used |= s->fp_given && l->fp_used;
	w->depth += STEPS - known;
	if (w->goroutine == 0)
		w->goroutine = l->goroutine;
	return true;
}

static bool knows(struct walk *w, uint64_t frame)
{
	struct last *l = w->knower;
	if (w->exact || w->memory.unfit || l->fresh == STEPS) {
		unlearn(w);
		return false;
	}
	if (l->go != (w->go != NULL))
		change_part(l);
	if (l->quiet && !learns(w, l))
		return false;
	uintptr_t at = l->go ? w->at.fp : w->at.sp;
	while (l->next < at)
		go_on(l, l->cursor + 1);
	if (l->next == at && meets(w, l, frame))
		return true;
	record(w, l, frame, at);
	return false;
}

uint32_t last_known(const struct walk *w)
{
	const struct last *l = w->knower;
	return l == NULL ? 0 : STEPS - l->known;
}

// The trunk that the current walk shares with the last one.
static struct trunk trunk_of(const struct last *l)
{
	if (l->known == STEPS)
		return stack_root(END_ROOT);
	uint32_t leaf = ((const struct stack *)region_ref(l->stack))->node;
	return (struct trunk){l->steps[l->known].hash, leaf, l->below + l->known - l->first};
}

// Puts the fresh steps and words before the known ones.
static void join_fresh(struct last *l, uint32_t logged)
{
	uint32_t to = l->known, word = to == STEPS ? WORDS : l->steps[to].words;
	l->first = STEPS;
	if (l->fresh > to || logged > word)
		return;
	for (uint32_t i = 0; i < l->fresh; i++) {
		l->steps[to - l->fresh + i] = l->fresh_steps[i];
		l->steps[to - l->fresh + i].words += word - logged;
	}
	for (uint32_t i = 0; i < logged; i++)
		l->words[word - logged + i] = l->fresh_words[i];
	l->first = to - l->fresh;
}

static void keep(struct walk *w, struct last *l)
{
	if (l->known == STEPS || joined(w)) { // otherwise it joined where the last walk did
		l->go_lo = w->memory.go_lo;
		l->go_hi = w->memory.go_hi;
		l->goroutine = w->goroutine;
	}
	l->fp_used = w->fp_used;
	join_fresh(l, w->memory.logged);
}

#define MANY 4     // steps
#define SPARE 3    // steps
#define PATIENCE 4 // walks

// Chooses from where the next walk is learned. To keep a step costs more than to walk it by rules, and pays only if a later
// walk meets it. So if several walks in a row made many steps before they met the last one, the next ones are learned only from
// a few steps below the meeting point on. If one then meets the last one at its first step, it might have met it before, and
// the next two are learned as a whole to see.
static void choose(struct last *l)
{
	bool many = l->fresh >= MANY;
	if (l->known == STEPS || (l->from != 0 && l->fresh == 0)) {
		l->idle = PATIENCE - 2;
		l->from = 0;
		return;
	}
	if (l->fresh < 2)
		l->idle = 0;
	else if (many && l->idle < PATIENCE)
		l->idle++;
	if (many && (l->from != 0 || l->idle == PATIENCE)) {
		const struct step *s = &l->fresh_steps[l->fresh - SPARE];
		l->from = s->part == 0 ? s->height : UINTPTR_MAX;
	}
}

uint32_t last_end(struct walk *w, enum end end)
{
	struct last *l = w->knower;
	bool learned = l != NULL && end == END_ROOT && !w->memory.unfit;
	unlearn(w);
	if (!learned)
		return stack_intern(w->frames, w->depth, stack_root(end));
	uint32_t below = w->depth - l->fresh - (STEPS - l->known);
	choose(l);
	if (l->fresh + below + l->below + l->known == l->first)
		return l->stack;
	if (l->known == STEPS)
		l->hash = hash_fresh(l, w->frames, below, stack_root(end).hash);
	stack_prefetch_first(l->hash);
	struct trunk trunk = trunk_of(l);
	keep(w, l);
	l->below = below;
	l->stack = stack_intern_hashed(w->frames, below + l->fresh, trunk, l->hash);
	if (l->stack == 0)
		l->first = STEPS;
	return l->stack;
}
