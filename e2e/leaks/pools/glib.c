//go:build leaks

/* GLib's slices. Before 2.76 they are cut from slabs, which GLib links in rings; since then they are blocks. */
#include <glib.h>

#include "trial.h"

enum { SLICE = 200, MOST = 1 << 17 };

static void *volatile live[MOST], *volatile forgotten;

static APART void *linked_slice(void) { return MADE(g_slice_alloc(SLICE)); }
static APART void *kept_slice(void) { return MADE(g_slice_alloc(SLICE)); }

/* Of the slabs, some are taken for the one and some for the other. */
void slices(void)
{
	unsigned random = 1;
	for (size_t i = 0; i < 2 * trial_number(SLICE) && i < MOST; i++) {
		random = random * 1664525 + 1013904223;
		if (random >> 31)
			forgotten = linked_slice();
		else
			live[i] = kept_slice();
	}
	forgotten = NULL;
	trial_reads(live);
	trial_told("kept_slice", "reachable from .*; `g_slice_alloc` may cut them into smaller ones, and which of those are lost is not known$");
	trial_told("linked_slice", "; `g_slice_alloc` may cut them into smaller ones, and which of those are lost is not known$|lost, or its pointers are hidden$");
}
