#include <alloca.h>
#include <stdlib.h>

#include "_cgo_export.h"
#include "victim.h"

/* Package cgo has it. Weak, so that this package can be linked without. */
extern size_t cgoheap_walk(uintptr_t *pcs, size_t max) __attribute__((weak));

static unsigned draw(struct victim_wander *w, unsigned below)
{
	w->random = w->random * 6364136223846793005ULL + 1442695040888963407ULL;
	return (unsigned)(w->random >> 33) % below;
}

static VICTIM_SITE void leaf(struct victim_wander *w)
{
	struct victim_seen *seen = &w->seen[w->count++];
	void *block = malloc(w->size);
	VICTIM_USE(block);
	seen->depth = cgoheap_walk ? cgoheap_walk(seen->pcs, VICTIM_SEEN) : 0;
	free(block);
}

static VICTIM_SITE void plain(struct victim_wander *w, unsigned depth)
{
	victim_wander(w, depth);
	VICTIM_USE(w);
}

static VICTIM_SITE void room(struct victim_wander *w, unsigned depth)
{
	char *more = alloca(16 + draw(w, 200));
	VICTIM_USE(more);
	victim_wander(w, depth);
	VICTIM_USE(more);
}

static VICTIM_SITE void aligned(struct victim_wander *w, unsigned depth)
{
	char line[64] __attribute__((aligned(64)));
	VICTIM_USE(line);
	victim_wander(w, depth);
	VICTIM_USE(line);
}

static VICTIM_SITE void *wander_on(uintptr_t w, uintptr_t depth)
{
	victim_wander((struct victim_wander *)w, depth);
	VICTIM_USE(w);
	return NULL;
}

/* The frame pointer counts: what callees save of it is another number at each call. */
static VICTIM_SITE void counter(struct victim_wander *w, unsigned depth)
{
	victim_with_frame_pointer(draw(w, 3), wander_on, (uintptr_t)w, depth);
	VICTIM_USE(w);
}

static VICTIM_SITE void through_go(struct victim_wander *w, unsigned depth)
{
	w->depth = depth;
	victimRunGo(w->run);
	VICTIM_USE(w);
}

static VICTIM_SITE void go_on(struct victim_wander *w, unsigned depth)
{
	switch (draw(w, 16)) {
	case 0:
		through_go(w, depth);
		break;
	case 1 ... 4:
		room(w, depth);
		break;
	case 5 ... 6:
		aligned(w, depth);
		break;
	case 7 ... 9:
		counter(w, depth);
		break;
	default:
		plain(w, depth);
	}
	VICTIM_USE(w);
}

VICTIM_SITE void victim_wander(struct victim_wander *w, unsigned depth)
{
	if (depth == 0) {
		leaf(w);
		return;
	}
	for (unsigned children = 1 + draw(w, 3) / 2; children > 0 && w->count < w->most; children--)
		go_on(w, depth - 1);
	VICTIM_USE(w);
}
