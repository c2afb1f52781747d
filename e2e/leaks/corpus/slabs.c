/* A pool that cuts its blocks from slabs, as GLib's slices and many others do: only the slabs are malloc's. A slab of which one block is in
 * use is held, though its others are lost; one whose blocks are all lost is lost. The pool itself knows only the slab that it cuts from. */
#include <stdlib.h>

#include "trial.h"

enum { SLAB = 4096, HEADER = 64, SLICE = 128, SLICES = (SLAB - HEADER) / SLICE, MOST = 1 << 13, DATA = 1000 };

struct slab {
	unsigned used;
	char padding[HEADER - sizeof(unsigned)];
	char slices[SLICES][SLICE];
};

static struct slab *pool;
static void *volatile live[MOST], *volatile used[MOST], *volatile forgotten;

static struct slab *aligned(void)
{
	void *block = NULL;
	if (posix_memalign(&block, SLAB, sizeof(struct slab)) != 0)
		abort();
	((struct slab *)block)->used = 0;
	return block;
}

static APART struct slab *kept_slab(void) { return COUNTED(aligned(), sizeof(struct slab)); }
static APART struct slab *lost_slab(void) { return COUNTED(aligned(), sizeof(struct slab)); }

static void *slice(struct slab *(*make)(void))
{
	if (!pool || pool->used == SLICES)
		pool = make();
	return pool->slices[pool->used++];
}

/* Of each slab that is kept, the last block is in use. */
void slabs(void)
{
	for (size_t i = 0; i < trial_number(SLAB) && i < MOST; i++) {
		for (int j = 0; j < SLICES; j++)
			forgotten = slice(lost_slab);
		for (int j = 0; j < SLICES; j++)
			live[i] = slice(kept_slab);
	}
	forgotten = NULL;
	trial_reads(live);
	trial_held("kept_slab", "global live");
	trial_told("kept_slab", "^`aligned` .* for `kept_slab` .* reachable from global `live .*`$");
	trial_told("lost_slab", "^`aligned` .* for `lost_slab` .* no pointer found to 100 %: lost, or its pointers are hidden$");
}

/* What objects of a pool point to. It counts as held as long as one object of the slab is, though others may be lost. */
static APART struct slab *kept_pool_slab(void) { return COUNTED(aligned(), sizeof(struct slab)); }
static APART void *linked_by_object(void) { return COUNTED(malloc(DATA), DATA); }

static APART void **g_slice_alloc(void)
{
	return slice(kept_pool_slab);
}

void pooled(void)
{
	void **object = NULL;
	for (size_t i = 0; i < trial_number(DATA * SLICES) && i < MOST; i++) {
		for (int j = 0; j < SLICES; j++) {
			object = g_slice_alloc();
			*object = linked_by_object();
		}
		used[i] = object;
	}
	trial_reads(used);
	trial_told("linked_by_object", " addresses (of .* )?lie in blocks that `g_slice_alloc` cuts into smaller ones, so whether (it is|those are) lost is not known");
}
