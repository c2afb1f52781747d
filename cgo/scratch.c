//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

#define _GNU_SOURCE
#include "scratch.h"

#include <sys/mman.h>

#include "pages.h"
#include "slots.h"

struct scratch *cgoheap_scratches;

size_t scratch_bytes(void)
{
	return GATE_SLOTS * sizeof(struct scratch);
}

_Static_assert(sizeof(struct scratch) % 4096 == 0, "slots_map wants whole pages");

bool scratch_prepare(void)
{
	if (cgoheap_scratches == NULL)
		cgoheap_scratches = slots_map(sizeof(struct scratch));
	if (cgoheap_scratches == NULL)
		return false;
	(void)madvise(cgoheap_scratches, scratch_bytes(), MADV_NOHUGEPAGE); // few pages of it are used
	return true;
}

// Where memory is locked it stays: nothing in it needs to be zero.
void scratch_clear(void)
{
	pages_free(cgoheap_scratches, scratch_bytes());
}
