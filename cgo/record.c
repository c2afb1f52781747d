//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

#include "record.h"

#include "block.h"
#include "clock.h"
#include "labels.h"
#include "last.h"
#include "peak.h"
#include "sites.h"
#include "stacks.h"
#include "weight.h"

__thread struct thread cgoheap_thread;

uint64_t cgoheap_seed;
uint32_t cgoheap_max_depth;

// The thread's first allocation of a recording: its first gap must be drawn before it.
static void begin_thread(struct thread *t, uint32_t generation)
{
	static uint32_t threads;
	uint32_t number = __atomic_add_fetch(&threads, 1, __ATOMIC_RELAXED);
	if (t->slot == 0)
		t->slot = number;
	uint64_t seed = __atomic_load_n(&cgoheap_seed, __ATOMIC_RELAXED);
	t->random = seed + (uint64_t)t->slot * 0xd1342543de82ef95ULL;
	t->sample_bytes = __atomic_load_n(&cgoheap_region->sample_bytes, __ATOMIC_RELAXED);
	t->countdown = draw_gap(&t->random, t->sample_bytes);
	t->generation = generation;
}

uint64_t record_samples(size_t size)
{
	struct thread *t = &cgoheap_thread;
	uint32_t generation = __atomic_load_n(&cgoheap_generation, __ATOMIC_ACQUIRE);
	if (generation == 0 || gate_unbuilt(generation))
		return 0;
	if (t->generation != generation)
		begin_thread(t, generation);
	if (record_skips(generation, size))
		return 0;
	// The mean may have been changed. This block is weighed by the one that it was sampled by, those after it by the new one.
	uint64_t gap = t->sample_bytes;
	t->sample_bytes = __atomic_load_n(&cgoheap_region->sample_bytes, __ATOMIC_RELAXED);
	t->countdown = draw_gap(&t->random, t->sample_bytes);
	return gap;
}

// A library may have been opened while the stack was walked, so the loader's words are compared again.
static void wake_after(const struct walk *w, enum end end)
{
	bool unknown = end == END_NO_MODULE || end == END_NO_FILE || w->met;
	if (w->stale || (unknown && loads_since(&w->index->loads)))
		record_wake(WAKE_LOADED);
	else if (unknown)
		record_wake(WAKE_UNKNOWN);
}

// The site of the stack that w finds from where it begins; 0 when the region is full.
static uint32_t site_by_walk(struct walk *w, struct visitor by, size_t size)
{
	enum end end = walk(w);
	count_in(by.place, COUNT_END + end, 1);
	wake_after(w, end);
	uint32_t stack = last_stack(w);
	if (stack == 0) {
		uint32_t below;
		struct trunk trunk = last_trunk(w, end, &below);
		stack = stack_intern(w->frames, below, trunk);
	}
	last_end(w, end, stack);
	if (stack == 0) {
		count(COUNT_LOST_STACK);
		return 0;
	}
	uint32_t site = site_intern(stack, size, labels_now(&w->memory, w->goroutine), by);
	if (site == 0)
		count(COUNT_LOST_SITE);
	return site;
}

// The site of the caller's stack; 0 when the region is full.
static uint32_t site_of(struct visitor by, size_t size, const struct registers *caller)
{
	size_t max = __atomic_load_n(&cgoheap_max_depth, __ATOMIC_RELAXED);
	uint64_t frames[max];
	struct copy copy;
	struct walk w = walk_of(caller, frames, max);
	walk_by_current(&w);
	memory_begin(&w.memory, &cgoheap_thread, caller->sp, &copy);
	last_begin(&w, by.place);
	uint32_t site = site_by_walk(&w, by, size);
	memory_end(&w.memory);
	return site;
}

static bool keep(struct pass pass, const void *p, const struct block *b)
{
	if (!live_insert(p, b))
		return false;
	count_in(pass.place, COUNT_LIVE, 1);
	return true;
}

static bool forget(struct pass pass, const void *p, struct block *b)
{
	if (!live_remove(p, b))
		return false;
	count_in(pass.place, COUNT_LIVE, -1);
	if (block_lost(b))
		uncount(COUNT_FREED_IN_USE);
	return true;
}

// Whoever did not enter the gate found it full, and it is still the recording that p may be remembered in.
static bool gate_was_full(uint32_t generation)
{
	return region_here() && __atomic_load_n(&cgoheap_generation, __ATOMIC_ACQUIRE) == generation;
}

static void count_lost_free(void)
{
	count(COUNT_FREES_LOST);
	count(COUNT_FREED_IN_USE);
}

// p is being freed, which cannot be recorded. It counts as in use until its address is met again.
static __attribute__((noinline, cold)) bool lose_free(const void *p, uint32_t generation)
{
	bool lost = gate_was_full(generation) && live_mark_lost(p, true);
	if (lost)
		count_lost_free();
	return lost;
}

// The block's site, at which it is no longer in use.
static struct site *leave(struct pass pass, const struct block *b)
{
	struct site *site = region_ref(b->site);
	site_prefetch(b->site);
	peak_lower(pass.place, block_weight(b).of[BYTES]);
	peak_before(site);
	return site;
}

// Two blocks cannot be in use at one address: what is remembered there was freed, by other names than the hooks', or while the
// gate was full, which is marked.
static void forget_unseen(struct pass pass, const void *p)
{
	struct block old;
	if (!live_maybe(p) || !forget(pass, p, &old))
		return;
	if (!block_lost(&old))
		count(COUNT_UNSEEN);
	site_subtract(leave(pass, &old), pass.parity, block_weight(&old));
}

static void remember(struct pass pass, const struct allocation *a)
{
	uint64_t ticks = clock_ticks();
	struct visitor by = {pass.place, (uint32_t)ticks};
	live_prefetch(a->p);
	count_in(pass.place, COUNT_SAMPLES, 1);
	forget_unseen(pass, a->p);
	uint32_t ref = site_of(by, a->size, a->caller);
	if (ref == 0)
		return;
	struct site *site = region_ref(ref);
	struct weight w = weigh(a->size, a->gap);
	struct block b = block_of(w, ref, ticks);
	bool kept = keep(pass, a->p, &b);
	peak_before(site);
	site_add(site, pass.parity, w);
	if (kept) {
		peak_raise(pass.place, w.of[BYTES]);
	} else {
		// Allocated for sure; whether it is still in use will not be known, so it is not called in use.
		count(COUNT_LOST_LIVE);
		site_subtract(site, pass.parity, w);
	}
}

static void tally_free(struct pass pass, const struct block *b)
{
	count_in(pass.place, COUNT_FREES, 1);
	site_free(leave(pass, b), pass.parity, block_age(b, clock_ticks()), block_weight(b));
}

void record_block(const struct allocation *a)
{
	struct pass pass;
	if (!gate_enter(&pass, cgoheap_thread.generation))
		return;
	remember(pass, a);
	gate_leave(pass);
}

void record_free(const void *p)
{
	struct pass pass;
	struct block b;
	uint32_t generation = __atomic_load_n(&cgoheap_generation, __ATOMIC_ACQUIRE);
	if (generation == 0 || gate_unbuilt(generation))
		return;
	if (!gate_enter(&pass, generation)) {
		lose_free(p, generation);
		return;
	}
	if (forget(pass, p, &b))
		tally_free(pass, &b);
	gate_leave(pass);
}

void record_forget(const void *p, struct forgotten *old)
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

void record_move(struct forgotten *old, const struct allocation *a)
{
	struct pass pass;
	if (!old->found && a->gap == 0)
		return;
	if (!gate_enter(&pass, old->generation)) {
		if (old->found && gate_was_full(old->generation))
			count_lost_free(); // for good: the table has it no more
		return;
	}
	if (old->found)
		tally_free(pass, &old->block);
	if (a->gap != 0 && cgoheap_thread.generation == old->generation)
		remember(pass, a);
	gate_leave(pass);
}

void record_restore(const void *p, const struct forgotten *old)
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
