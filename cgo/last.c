//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

// A walk is a function of the registers that it begins with, of the index, and of the words that it reads. So if it comes
// to a frame with the registers that the thread's last walk had there, and all the words that the last walk read from
// there on still have their values, the rest is the same: no rules are looked up, only words compared, in the order in
// which they were read, so that each address was checked before it is used. Where a word differs, the frames before it
// are the same all the same, and the walk goes on by rules from the one that read it.
//
// Kept are walks that came to their root on the stack that the thread was born with and on the goroutine's: what was
// readable there is readable as long as the words that led there stand.

#include "last.h"

#include "gate.h"
#include "region.h"

// The words that a walk follows lie in frames of the program, which a sanitizer keeps to itself.
#define READS_FRAMES __attribute__((no_sanitize("address", "thread")))

void last_begin(struct walk *w, uint32_t place)
{
	struct thread *t = w->memory.thread;
	struct last *l = (struct last *)region_at(cgoheap_region->lasts) + place;
	if (place >= GATE_HOMES || w->index == NULL || w->stale || !w->memory.own)
		return;
	if (l->thread != t->slot || l->index != w->index->number) {
		l->thread = t->slot;
		l->index = w->index->number;
		l->first = LAST_STEPS;
	}
	l->cursor = l->first;
	l->fresh = 0;
	w->last = l;
	w->memory.log = l->fresh_words;
}

// What rises from frame to frame: Go's frames are found by fp, C's by sp.
static uintptr_t height(const struct walk *w)
{
	return w->go != NULL ? w->at.fp : w->at.sp;
}

static uintptr_t step_height(const struct step *s)
{
	return s->go ? s->fp : s->sp;
}

static bool joined(const struct walk *w)
{
	return w->memory.go_hi != 0;
}

// A register that has not been read yet is the same if it is saved at the same place. What a walk begins with is as good
// as any other if nothing followed from it: functions use the register for data.
static bool same_fp(const struct walk *w, const struct step *s)
{
	if (s->fp_known != w->fp_known || s->fp_at != w->fp_at || s->fp_given != w->fp_given)
		return false;
	return !s->fp_known || s->fp_at != 0 || (s->fp_given && !w->last->fp_used) || s->fp == w->at.fp;
}

static bool same(const struct walk *w, const struct step *s)
{
	const struct last *l = w->last;
	if (s->pc != w->at.pc || s->sp != w->at.sp || !same_fp(w, s))
		return false;
	return s->joined == joined(w) && (!s->joined || (w->memory.go_lo == l->go_lo && w->memory.go_hi == l->go_hi));
}

// The step of the last walk where w stands now; NULL if it was never there.
static const struct step *meet(const struct walk *w)
{
	struct last *l = w->last;
	uintptr_t at = height(w);
	const struct step *s = &l->steps[l->cursor], *end = &l->steps[LAST_STEPS];
	while (s < end && (s->part < w->part || (s->part == w->part && step_height(s) < at)))
		s++;
	l->cursor = s - l->steps;
	return s < end && same(w, s) ? s : NULL;
}

// The first word from the given one on that has changed; LAST_WORDS if none has.
static READS_FRAMES uint32_t first_changed(const struct last *l, uint32_t word)
{
	while (word < LAST_WORDS && *(const volatile uintptr_t *)l->words[word].address == l->words[word].value)
		word++;
	return word;
}

// What the frame pointer is at s.
static uintptr_t fp_of(const struct walk *w, const struct step *s)
{
	return s->fp_given ? w->at.fp : s->fp;
}

// Room for one more fresh step, whose words begin here; NULL if there is none.
static struct step *next_fresh(struct walk *w)
{
	struct last *l = w->last;
	if (l->fresh == LAST_STEPS) {
		w->memory.unfit = true;
		return NULL;
	}
	struct step *s = &l->fresh_steps[l->fresh++];
	s->words = w->memory.logged;
	return s;
}

static void record(struct walk *w, uint64_t frame)
{
	struct step *s = next_fresh(w);
	if (s == NULL)
		return;
	s->pc = w->at.pc;
	s->sp = w->at.sp;
	s->fp = w->at.fp;
	s->fp_at = w->fp_at;
	s->frame = frame;
	s->part = w->part;
	s->fp_known = w->fp_known;
	s->fp_given = w->fp_given;
	s->joined = joined(w);
	s->go = w->go != NULL;
}

// The walk goes on from s, to which the last walk came too.
static enum end resume(struct walk *w, const struct step *s)
{
	const struct last *l = w->last;
	w->at = (struct registers){s->pc, s->sp, fp_of(w, s)};
	w->fp_known = s->fp_known;
	w->fp_given = s->fp_given;
	w->fp_at = s->fp_at;
	w->part = s->part - 1; // walk counts it again
	if (s->joined) {
		w->memory.go_lo = l->go_lo;
		w->memory.go_hi = l->go_hi;
	}
	return WALK_ON;
}

// The step that reads the word, among those from s on; the end of them if the word is.
static const struct step *reader_of(const struct last *l, const struct step *s, uint32_t word)
{
	const struct step *end = &l->steps[LAST_STEPS];
	if (word == LAST_WORDS)
		return end;
	while (s + 1 < end && s[1].words <= word)
		s++;
	return s;
}

// The first step from s on that there is no room for; end if there is for all. Frames up to the root are only counted:
// nobody asks for those of a known trunk.
static const struct step *add_frames(struct walk *w, const struct step *s, const struct step *end)
{
	size_t count = end - s;
	if (w->known != NULL && count <= w->max - w->depth) {
		w->depth += count;
		return end;
	}
	for (; s < end && w->depth < w->max; s++)
		w->frames[w->depth++] = s->frame;
	return s;
}

static void record_again(struct walk *w, const struct step *s, const struct step *end)
{
	struct step *to;
	for (; s < end && (to = next_fresh(w)) != NULL; s++) {
		uint32_t words = to->words;
		*to = *s;
		to->fp = fp_of(w, s);
		to->words = words;
		for (uint32_t i = s->words; i < s[1].words; i++)
			memory_note(&w->memory, w->last->words[i].address, w->last->words[i].value);
	}
}

// Adds the frames from s up to the one that reads a changed word.
static enum end follow(struct walk *w, const struct step *s)
{
	struct last *l = w->last;
	const struct step *all = &l->steps[LAST_STEPS], *end = reader_of(l, s, first_changed(l, s->words));
	l->cursor = end + 1 - l->steps;
	if (end == s)
		return WALK_EMIT;
	if (end == all)
		w->known = s;
	w->fp_used |= s->fp_given && l->fp_used;
	const struct step *to = add_frames(w, s, end);
	if (w->goroutine == 0 && (to == all || to->joined))
		w->goroutine = l->goroutine;
	if (to != end)
		return END_DEPTH;
	if (end == all)
		return END_ROOT;
	record_again(w, s, end);
	return resume(w, end);
}

enum end last_meet(struct walk *w, uint64_t frame)
{
	if (w->exact)
		w->memory.unfit = true;
	if (w->memory.unfit)
		return WALK_EMIT;
	const struct step *s = meet(w);
	enum end result = s == NULL ? WALK_EMIT : follow(w, s);
	if (result == WALK_EMIT)
		record(w, frame);
	return result;
}

uint32_t last_stack(const struct walk *w)
{
	const struct last *l = w->last;
	return l != NULL && w->known == &l->steps[l->first] && l->fresh == 0 ? l->stack : 0;
}

struct trunk last_trunk(const struct walk *w, enum end end, uint32_t *below)
{
	if (w->known == NULL || end != END_ROOT) {
		*below = w->depth;
		return stack_root(end);
	}
	*below = w->last->fresh;
	const struct last *l = w->last;
	uint32_t leaf = ((const struct stack *)region_ref(l->stack))->node;
	return (struct trunk){w->known->hash, leaf, w->known - &l->steps[l->first]};
}

// The hash of each fresh step, of which to is the end.
static void hash_fresh(struct step *from, struct step *to, const struct step *known)
{
	struct stack_hash hash = known == NULL ? stack_root(END_ROOT).hash : known->hash;
	for (struct step *s = to; s-- > from;)
		s->hash = hash = stack_hash(hash, s->frame);
}

// Puts the fresh steps and words before those that are known.
static void join_fresh(struct walk *w)
{
	struct last *l = w->last;
	uint32_t to = w->known == NULL ? LAST_STEPS : w->known - l->steps;
	uint32_t word = w->known == NULL ? LAST_WORDS : w->known->words;
	uint32_t logged = w->memory.logged;
	l->first = LAST_STEPS;
	if (l->fresh > to || logged > word)
		return;
	for (uint32_t i = 0; i < l->fresh; i++) {
		l->steps[to - l->fresh + i] = l->fresh_steps[i];
		l->steps[to - l->fresh + i].words += word - logged;
	}
	for (uint32_t i = 0; i < logged; i++)
		l->words[word - logged + i] = l->fresh_words[i];
	l->first = to - l->fresh;
	hash_fresh(&l->steps[l->first], &l->steps[to], w->known);
}

void last_end(struct walk *w, enum end end, uint32_t stack)
{
	struct last *l = w->last;
	if (l != NULL && end == END_ROOT && !w->memory.unfit && stack != 0 && l->fresh > 0) {
		if (w->known == NULL || joined(w)) { // otherwise it joined where the last walk did
			l->go_lo = w->memory.go_lo;
			l->go_hi = w->memory.go_hi;
			l->goroutine = w->goroutine;
		}
		l->fp_used = w->fp_used;
		join_fresh(w);
		l->stack = stack;
	}
	w->memory.log = NULL;
}
