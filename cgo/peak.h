// The peak: what was in use at the moment when the most was in use, kept per site, at a cost of a few instructions per
// sampled block.
#ifndef CGOHEAP_PEAK_H
#define CGOHEAP_PEAK_H

#include <stdint.h>

#include "region.h"
#include "site.h"
#include "weight.h"

#define PEAK_FLAGS 3 // bits below the mark

// The mark of the current peak.
static inline uint64_t peak_mark(void)
{
	return __atomic_load_n(&cgoheap_region->inuse.peak, __ATOMIC_ACQUIRE) >> PEAK_FLAGS;
}

// Copies what is in use at the site, if that has not been done since the peak.
void peak_copy(struct site *s, enum measure m);

// Called before a site's tallies change, in either direction. Loads the peak's mark after the site's: if they differ,
// the peak's is the newer.
static inline void peak_before(struct site *s)
{
	for (int m = 0; m < site_measures(s); m++)
		if (__atomic_load_n(&s->peaks[m].mark, __ATOMIC_ACQUIRE) != peak_mark())
			peak_copy(s, m);
}

// Adds to the bytes in use, in units of struct weight, or subtracts from them, for a recorder in a slot of the gate.
// Bytes are added after the site's tallies have them and others can free them, and subtracted before the tallies do.
void peak_raise(uint32_t slot, uint64_t bytes);
void peak_lower(uint32_t slot, uint64_t bytes);

// The bytes in use at a moment during the call, in units of struct weight; events in progress then may be counted or
// not. If a thread is stopped for a second just as it counts, its credit may be included. One caller at a time of this
// and all below.
uint64_t peak_total(void);

// Freezes the peak and copies every site's share of it to peak.then, where it stays until peak_thaw, which must follow.
// One caller at a time.
void peak_freeze(void);
void peak_thaw(void);
// The highest total, in bytes, that was reached while the peak was frozen, if it is above the peak; otherwise 0.
uint64_t peak_read_missed(void);

// Makes the bytes in use now the peak. Not to be called between freeze and thaw. If a thread is stopped for a second
// just as it counts, peaks may be missed until it goes on, which is counted.
void peak_reset(void);

#endif
