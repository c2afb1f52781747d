//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

#include "go_stacks.h"

#include "machine.h"
#include "sort.h"

#define MOST_GOROUTINES (1ULL << 26)
#define MOST_STACK (1ULL << 30)
#define G_BYTES 480 // that the fields lie in

// Of a g: runtime/runtime2.go.
enum { IDLE = 0, RUNNABLE = 1, RUNNING = 2, IN_CALL = 3, WAITING = 4, DEAD = 6, PREEMPTED = 9, LEAKED = 10, DEAD_EXTRA = 11 };
#define SCANNING 0x1000U

// Whether the stack pointer that the g has is that of its goroutine.
static bool rests(uint32_t status)
{
	return status == RUNNABLE || status == IN_CALL || status == WAITING || status == PREEMPTED || status == LEAKED;
}

// Reads a g; false if it has no stack that is in use.
static bool read_goroutine(const struct twin_go *go, uint64_t g, struct twin_goroutine *r)
{
	if (!twin_go_holds(go, g) || !go_readable(go, g, G_BYTES))
		return false;
	r->status = go_half(g + go->g.status) & ~SCANNING;
	r->lo = go_word(g);
	r->hi = go_word(g + 8);
	if (r->status == IDLE || r->status == DEAD || r->status == DEAD_EXTRA || r->lo >= r->hi || r->hi - r->lo > MOST_STACK ||
	    !twin_go_holds(go, r->lo) || !twin_go_holds(go, r->hi - 1) || !go_readable(go, r->lo, r->hi - r->lo))
		return false;
	uint64_t sp = go_word(g + go->g.sp);
	r->used = rests(r->status) && sp >= r->lo && sp <= r->hi ? sp & ~7ULL : r->lo;
	r->g = g;
	r->id = go_word(g + go->g.id);
	r->start = go_word(g + go->g.start);
	r->created = go_word(g + go->g.created);
	return true;
}

bool twin_go_goroutines(const struct twin_go *go, twin_goroutine_visit *visit, void *arg)
{
	struct go_slice all;
	if (go->goroutines == 0 || !go_slice(go, go->goroutines, MOST_GOROUTINES, &all))
		return false;
	for (uint64_t i = 0; i < all.size; i++) {
		struct twin_goroutine r;
		if (read_goroutine(go, go_word(all.at + 8 * i), &r) && !visit(arg, &r))
			return false;
	}
	return true;
}

static bool add(void *arg, const struct twin_goroutine *r)
{
	struct twin_goroutines *all = arg;
	if (all->count == all->room)
		return false;
	all->at[all->count++] = *r;
	return true;
}

bool twin_go_index(const struct twin_go *go, struct twin_goroutines *all)
{
	struct go_slice list;
	*all = (struct twin_goroutines){0};
	if (go->goroutines == 0 || !go_slice(go, go->goroutines, MOST_GOROUTINES, &list) || list.size == 0)
		return false;
	all->at = pages_map(list.size * sizeof *all->at);
	if (all->at == NULL)
		return false;
	all->room = list.size;
	if (!twin_go_goroutines(go, add, all))
		return false;
	twin_sort(all->at, all->count, sizeof *all->at, offsetof(struct twin_goroutine, lo));
	return true;
}

void twin_go_forget(struct twin_goroutines *all)
{
	if (all->at != NULL)
		(void)pages_unmap(all->at, all->room * sizeof *all->at);
	*all = (struct twin_goroutines){0};
}

const struct twin_goroutine *twin_go_goroutine(const struct twin_goroutines *all, uint64_t address)
{
	uint64_t low = 0, high = all->count;
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;
		if (all->at[middle].lo <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low != 0 && address < all->at[low - 1].hi ? &all->at[low - 1] : NULL;
}
