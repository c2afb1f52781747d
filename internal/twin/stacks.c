//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

// Each thread that runs Go code has an m, whose first field is its g0, a g with the bounds of the thread's own stack; when the thread
// changes to a goroutine's stack, the g0 notes where it left its own. A goroutine that runs, or waits in a system call, has the
// address of its m. Where that is in a g is found by the goroutine that made the twin: its m leads to a g0 around sp.

#include "stacks.h"

#define FIRST_FIELD 32 // of a g, behind the bounds of its stack
#define LAST_FIELD 128
#define G_BYTES 480
#define MOST_STACK (1ULL << 30)

struct resolving {
	const struct twin_go *go;
	const struct twin_heaps *memory;
	struct twin_stack *stacks;
	uint64_t count, sp;
	uint32_t m;     // the field's offset, once it is known
	uint32_t found; // how many fields look like it
};

// Reads the g0 of the m that a field of a g points to.
static bool read_g0(const struct resolving *r, uint64_t g, uint32_t field, uint64_t *lo, uint64_t *hi, uint64_t *sp)
{
	uint64_t m = go_word(g + field);
	if (m % 8 != 0 || !twin_chunks_area_holds(r->memory, m, 8))
		return false;
	uint64_t g0 = go_word(m);
	if (g0 % 8 != 0 || !twin_chunks_area_holds(r->memory, g0, G_BYTES))
		return false;
	*lo = go_word(g0);
	*hi = go_word(g0 + 8);
	*sp = go_word(g0 + r->go->g.sp);
	return *lo < *hi && *hi - *lo <= MOST_STACK && *sp >= *lo && *sp <= *hi;
}

static bool find_field(void *arg, const struct twin_goroutine *g)
{
	struct resolving *r = arg;
	for (uint32_t field = FIRST_FIELD; field < LAST_FIELD; field += 8) {
		uint64_t lo, hi, sp;
		if (read_g0(r, g->g, field, &lo, &hi, &sp) && lo <= r->sp && r->sp < hi && field != r->m) {
			r->m = field;
			r->found++;
		}
	}
	return true;
}

static bool set_from(void *arg, const struct twin_goroutine *g)
{
	struct resolving *r = arg;
	uint64_t lo, hi, sp;
	if (!read_g0(r, g->g, r->m, &lo, &hi, &sp))
		return true;
	for (uint64_t i = 0; i < r->count; i++) {
		struct twin_stack *s = &r->stacks[i];
		if (s->from == TWIN_ON_GOROUTINE && s->start <= sp && sp < s->limit)
			s->from = sp & ~7ULL;
	}
	return true;
}

void twin_stacks_resolve(struct twin_stack *stacks, uint64_t count, const struct twin_go *go, const struct twin_heaps *memory, uint64_t sp)
{
	struct resolving r = {go, memory, stacks, count, sp, 0, 0};
	if (twin_go_goroutines(go, find_field, &r) && r.found == 1)
		twin_go_goroutines(go, set_from, &r);
	for (uint64_t i = 0; i < count; i++) {
		struct twin_stack *s = &stacks[i];
		if (s->start <= sp && sp < s->limit)
			s->from = sp;
		else if (s->from < s->start || s->from > s->limit)
			s->from = s->start;
	}
}
