//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

#include "record.h"

#include "block.h"
#include "clock.h"
#include "gate_slot.h"
#include "labels.h"
#include "last.h"
#include "peak.h"
#include "scratch.h"
#include "shield.h"
#include "sites.h"
#include "stacks.h"
#include "waker.h"
#include "weight.h"

uint64_t cgoheap_seed;
uint32_t cgoheap_max_depth;
uint64_t cgoheap_sample_bytes;

// Before the thread's first allocation of a recording, the bytes until its first sample must be drawn.
static void begin_thread(struct thread *t, uint32_t generation)
{
	static uint32_t threads;
	uint32_t number = __atomic_add_fetch(&threads, 1, __ATOMIC_RELAXED);
	if (t->number == 0)
		t->number = number;
	uint64_t seed = __atomic_load_n(&cgoheap_seed, __ATOMIC_RELAXED);
	t->random = seed + (uint64_t)t->number * 0xd1342543de82ef95ULL;
	t->sample_bytes = __atomic_load_n(&cgoheap_sample_bytes, __ATOMIC_RELAXED);
	t->countdown = draw_bytes_until_sample(&t->random, t->sample_bytes);
	t->generation = generation;
}

bool record_join(void)
{
	struct thread *t = &cgoheap_thread;
	uint32_t generation = __atomic_load_n(&cgoheap_generation, __ATOMIC_ACQUIRE);
	if (generation == 0 || gate_unbuilt(generation))
		return false;
	if (t->generation != generation)
		begin_thread(t, generation);
	return true;
}

uint64_t record_count_down(size_t size)
{
	struct thread *t = &cgoheap_thread;
	if (!record_join())
		return 0;
	uint32_t generation = t->generation;
	if (record_skips(generation, size))
		return 0;
	// The mean interval may have been changed. This block is weighed with the interval it was sampled at, later blocks
	// with the new one.
	uint64_t interval = t->sample_bytes;
	t->sample_bytes = __atomic_load_n(&cgoheap_sample_bytes, __ATOMIC_RELAXED);
	t->countdown = draw_bytes_until_sample(&t->random, t->sample_bytes);
	return interval;
}

// A library may have been opened while the stack was walked, so the loader's words are compared again.
static void wake_after(const struct walk *w, enum end end)
{
	bool unknown = end == END_NO_MODULE || end == END_NO_FILE || w->met;
	if (w->stale || (unknown && loads_since(&w->index->loads)))
		waker_look(WAKE_LOADED);
	else if (unknown)
		waker_look(WAKE_UNKNOWN);
}

// The stack that w finds; 0 when the region is full.
static inline __attribute__((always_inline)) uint32_t stack_by_walk(struct walk *w, uint32_t slot)
{
	enum end end = walk(w);
	count_in(slot, COUNT_END + end, 1);
	wake_after(w, end);
	return last_end(w, end);
}

// Begins a walk in the slot's scratch. memory_end must follow.
static inline __attribute__((always_inline)) struct walk *begin_walk(uint32_t slot, const struct registers *caller)
{
	struct scratch *s = scratch_of(slot);
	struct walk *w = &s->walk;
	size_t max = __atomic_load_n(&cgoheap_max_depth, __ATOMIC_RELAXED);
	walk_begin(w, caller, s->frames, max < SCRATCH_FRAMES ? max : SCRATCH_FRAMES);
	walk_by_current(w);
	memory_begin(&w->memory, &cgoheap_thread, w->at.sp, &s->copy);
	w->memory.room = &s->room;
	if (!thread_is_bounded(&cgoheap_thread))
		count_in(slot, COUNT_UNBOUNDED, 1);
	last_begin(w, slot);
	return w;
}

// The site of the stack that walk w finds; 0 when the region is full.
static uint32_t site_by_walk(struct walk *w, uint32_t slot, size_t size)
{
	uint32_t stack = stack_by_walk(w, slot);
	if (stack == 0) {
		count(COUNT_LOST_STACK);
		return 0;
	}
	uint32_t site = site_intern(stack, size, labels_now(&w->memory, w->goroutine, scratch_of(slot)->labels), slot);
	if (site == 0)
		count(COUNT_LOST_SITE);
	return site;
}

// The site of the caller's stack; 0 when the region is full.
static uint32_t site_of(uint32_t slot, size_t size, const struct registers *caller)
{
	struct walk *w = begin_walk(slot, caller);
	uint32_t site = site_by_walk(w, slot, size);
	memory_end(&w->memory);
	return site;
}

uint32_t record_stack(uint32_t slot, const struct registers *caller)
{
	struct walk *w = begin_walk(slot, caller);
	uint32_t stack = stack_by_walk(w, slot);
	memory_end(&w->memory);
	return stack;
}

static bool forget(struct pass pass, const void *p, struct block *b)
{
	if (!live_remove(p, b))
		return false;
	count_in(pass.slot, COUNT_LIVE, -1);
	if (block_lost(b))
		uncount(COUNT_FREED_IN_USE);
	return true;
}

// After gate_enter has failed: true if the gate was full, false if that recording has ended.
static bool gate_was_full(uint32_t generation)
{
	return region_here() && __atomic_load_n(&cgoheap_generation, __ATOMIC_ACQUIRE) == generation;
}

static void count_lost_free(void)
{
	count(COUNT_FREES_LOST);
	count(COUNT_FREED_IN_USE);
}

// Marks p as freed, because its free cannot be recorded. It counts as in use until its address is met again.
static __attribute__((noinline, cold)) bool lose_free(const void *p, uint32_t generation)
{
	bool lost = gate_was_full(generation) && live_mark_lost(p, true);
	if (lost)
		count_lost_free();
	return lost;
}

static inline void note_sampled(const struct site *s, uint64_t interval)
{
	if (s->device == SITE_ON_DEVICE && interval > 1)
		__atomic_store_n(&cgoheap_region->device_sampled, 1, __ATOMIC_RELAXED);
}

static inline void note_pinned(const struct site *s, uint64_t bytes)
{
	if (s->device == SITE_PINNED)
		__atomic_fetch_add(&cgoheap_region->pinned_in_use, bytes, __ATOMIC_RELAXED);
}

// The total in use, and with it the peak, is of the host's memory: a device's has a total of its own, and what is registered counts once.
static inline void in_use_raise(uint32_t slot, const struct site *s, uint64_t bytes, uint64_t interval)
{
	if (s->device == SITE_REGISTERED)
		return;
	if (s->device == SITE_ON_DEVICE) {
		__atomic_fetch_add(&cgoheap_region->device_in_use, bytes, __ATOMIC_RELAXED);
		note_sampled(s, interval);
	} else {
		note_pinned(s, bytes);
		peak_raise(slot, bytes);
	}
}

static inline void in_use_lower(uint32_t slot, const struct site *s, uint64_t bytes)
{
	if (s->device == SITE_REGISTERED)
		return;
	if (s->device == SITE_ON_DEVICE) {
		__atomic_fetch_sub(&cgoheap_region->device_in_use, bytes, __ATOMIC_RELAXED);
	} else {
		note_pinned(s, -bytes);
		peak_lower(slot, bytes);
	}
}

// Takes the block out of what is in use at its site, and returns the site.
static struct site *leave(struct pass pass, const struct block *b)
{
	struct site *site = region_ref(b->site);
	site_prefetch(b->site);
	in_use_lower(pass.slot, site, block_weight(b).of[BYTES]);
	peak_before(site);
	return site;
}

// Two blocks cannot be in use at one address: a block remembered there was freed, by a function that is not hooked, or
// while the gate was full, which is marked.
static void forget_unseen(struct pass pass, const void *p)
{
	struct block old;
	if (!forget(pass, p, &old))
		return;
	if (!block_lost(&old))
		count(COUNT_UNSEEN);
	site_subtract(leave(pass, &old), pass.parity, block_weight(&old));
}

// Remembers a block; false when the region is full.
static inline __attribute__((always_inline)) bool keep(struct pass pass, const void *p, const struct block *b)
{
	enum kept kept = live_insert(p, b);
	if (__builtin_expect(kept == KEPT_ALREADY, 0)) {
		forget_unseen(pass, p);
		kept = live_insert(p, b);
	}
	if (kept != KEPT)
		return false;
	count_in(pass.slot, COUNT_LIVE, 1);
	return true;
}

static void remember(struct pass pass, const struct allocation *a)
{
	uint64_t ticks = clock_ticks();
	live_prefetch(a->p);
	live_prefetch_older(a->p);
	count_in(pass.slot, COUNT_SAMPLES, 1);
	uint32_t ref = site_of(pass.slot, a->size, a->caller);
	if (ref == 0) { // a block remembered at this address is gone all the same
		forget_unseen(pass, a->p);
		return;
	}
	struct site *site = region_ref(ref);
	struct weight w = weigh(a->size, a->interval);
	struct block b = block_of(w, ref, ticks);
	if (cgoheap_thread.kind.text != NULL)
		b.weight.of[OBJECTS] |= BLOCK_REPORTED;
	bool kept = keep(pass, a->p, &b);
	peak_before(site);
	site_add(site, pass.parity, w);
	if (kept) {
		in_use_raise(pass.slot, site, w.of[BYTES], a->interval);
	} else {
		note_sampled(site, a->interval);
		// It was certainly allocated. Whether it is still in use cannot be known later, so it does not count as in use.
		count(COUNT_LOST_LIVE);
		site_subtract(site, pass.parity, w);
	}
}

static void tally_free(struct pass pass, const struct block *b)
{
	count_in(pass.slot, COUNT_FREES, 1);
	site_free(leave(pass, b), pass.parity, block_age(b, clock_ticks()), block_weight(b));
}

static inline __attribute__((always_inline)) void do_record_block(const struct allocation *a)
{
	struct pass pass;
	if (!gate_enter(&pass, cgoheap_thread.generation))
		return;
	remember(pass, a);
	gate_leave(pass);
}

SHIELDED_FUNCTION(extern, record_block, (const struct allocation *a), (a))

// Whether a kind is a family of devices, or begins with that and a space; *rest is then what follows.
static bool begins(const struct kind *k, const char *family, size_t *rest)
{
	size_t n = 0;
	while (family[n] != 0 && n < k->size && ((const volatile char *)k->text)[n] == family[n])
		n++;
	*rest = n + 1;
	return family[n] == 0 && (n == k->size || k->text[n] == ' ');
}

static uint8_t place_of(const struct kind *k, const void *key)
{
	static const char pinned[] = "pinned";
	size_t rest, n = 0;
	if (!begins(k, "cuda", &rest) && !begins(k, "hip", &rest))
		return SITE_ON_HOST;
	while (pinned[n] != 0 && rest + n < k->size && ((const volatile char *)k->text)[rest + n] == pinned[n])
		n++;
	if (pinned[n] != 0 || rest + n != k->size)
		return SITE_ON_DEVICE;
	return ((uintptr_t)key & KEY_TAG) == KEY_REGISTERED ? SITE_REGISTERED : SITE_PINNED;
}

void record_reported(const struct allocation *a, const struct kind *kind)
{
	if (kind->size != 0 && (__atomic_load_n(&cgoheap_labels.of_thread, __ATOMIC_RELAXED) & LABEL_KIND) == 0)
		__atomic_or_fetch(&cgoheap_labels.of_thread, LABEL_KIND, __ATOMIC_RELAXED);
	cgoheap_thread.kind = *kind;
	if (kind->size == 0)
		cgoheap_thread.kind.text = "";
	cgoheap_thread.kind.place = place_of(kind, a->p);
	record_block(a);
	cgoheap_thread.kind = (struct kind){0};
}

// Enters the gate for a block that leaves. False if nothing is recorded, or if the gate is full, which is then counted.
static inline __attribute__((always_inline)) bool enter_free(struct pass *pass, const void *p)
{
	uint32_t generation = __atomic_load_n(&cgoheap_generation, __ATOMIC_ACQUIRE);
	if (generation == 0 || gate_unbuilt(generation))
		return false;
	live_prefetch(p);
	if (gate_enter(pass, generation))
		return true;
	lose_free(p, generation);
	return false;
}

static inline __attribute__((always_inline)) void do_record_free(const void *p)
{
	struct pass pass;
	struct block b;
	if (!enter_free(&pass, p))
		return;
	if (forget(pass, p, &b))
		tally_free(pass, &b);
	gate_leave(pass);
}

SHIELDED_FUNCTION(extern, record_free, (const void *p), (p))

static inline __attribute__((always_inline)) void do_record_disuse(const void *p)
{
	struct pass pass;
	struct block b;
	if (!enter_free(&pass, p))
		return;
	if (forget(pass, p, &b))
		site_subtract(leave(pass, &b), pass.parity, block_weight(&b));
	gate_leave(pass);
}

SHIELDED_FUNCTION(extern, record_disuse, (const void *p), (p))

static inline __attribute__((always_inline)) void do_record_forget(const void *p, struct forgotten *old)
{
	struct pass pass;
	old->found = old->lost = false;
	old->generation = __atomic_load_n(&cgoheap_generation, __ATOMIC_ACQUIRE);
	if (p == NULL || old->generation == 0 || gate_unbuilt(old->generation) || !live_maybe(p))
		return;
	if (!gate_enter(&pass, old->generation)) {
		old->lost = lose_free(p, old->generation);
		return;
	}
	old->found = forget(pass, p, &old->block);
	gate_leave(pass);
}

SHIELDED_FUNCTION(extern, record_forget, (const void *p, struct forgotten *old), (p, old))

static inline __attribute__((always_inline)) void do_record_move(struct forgotten *old, const struct allocation *a)
{
	struct pass pass;
	if (!old->found && a->interval == 0)
		return;
	if (!gate_enter(&pass, old->generation)) {
		if (old->found && gate_was_full(old->generation))
			count_lost_free(); // for good: the table no longer has it
		return;
	}
	if (old->found)
		tally_free(pass, &old->block);
	if (a->interval != 0 && cgoheap_thread.generation == old->generation)
		remember(pass, a);
	gate_leave(pass);
}

SHIELDED_FUNCTION(extern, record_move, (struct forgotten *old, const struct allocation *a), (old, a))

static inline __attribute__((always_inline)) void do_record_restore(const void *p, const struct forgotten *old)
{
	struct pass pass;
	if (old->lost && gate_was_full(old->generation) && live_mark_lost(p, false)) {
		uncount(COUNT_FREES_LOST);
		uncount(COUNT_FREED_IN_USE);
	}
	if (!old->found)
		return;
	if (!gate_enter(&pass, old->generation)) {
		if (gate_was_full(old->generation))
			count_lost_free(); // its free will not be noticed
		return;
	}
	if (!keep(pass, p, &old->block)) {
		count(COUNT_LOST_LIVE);
		site_subtract(leave(pass, &old->block), pass.parity, block_weight(&old->block));
	}
	gate_leave(pass);
}

SHIELDED_FUNCTION(extern, record_restore, (const void *p, const struct forgotten *old), (p, old))
