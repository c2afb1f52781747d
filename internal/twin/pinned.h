// Which blocks keep free memory of malloc's resident: view=pinned. The kernel takes memory by pages, and malloc_trim
// returns those that are free as a whole. The free bytes of another page stay as long as a block in use touches it, so
// these blocks share them equally:
//
//	page          page          page          page
//	│used│ free │ free        │ free        │ free │used│
//	      pinned  returned      returned      pinned
//
// A block touches the pages from its header to its last byte. It also touches that of the links which malloc keeps at the
// beginning of the free chunk that follows it. All blocks in use have their share, recorded or not, so a recorded block's
// share does not depend on what else was recorded: multiplied by the objects that it stands for, the sum over a sample is
// unbiased.
#ifndef CGOHEAP_TWIN_PINNED_H
#define CGOHEAP_TWIN_PINNED_H

#include "chunks.h"
#include "found.h"

#define TWIN_PINNED_UNIT 256 // of a byte

// Bytes of all heaps that are known.
struct twin_pinned {
	uint64_t held;     // resident and free, on pages that are not free as a whole: all but that of pages with nothing else than malloc's own words
	uint64_t recorded; // of that, what recorded blocks hold themselves; in 1/256 byte
};

// Sets found[i].pinned for each recorded block: 0 for what lies in no heap. Pages that are resident or swapped count;
// pagemap is /proc/self/pagemap, opened in the twin. Returns false if there is no memory, or if pagemap cannot be read;
// then all are 0.
bool twin_pinned(const struct twin_heaps *h, const struct twin_block *blocks, struct twin_found *found, uint64_t n, int pagemap,
		 struct twin_pinned *sums);

#endif
