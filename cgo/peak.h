// The peak: what was in use at the moment when most was, kept per site at a few instructions per sampled block.
#ifndef CGOHEAP_PEAK_H
#define CGOHEAP_PEAK_H

#include <stdint.h>

#include "region.h"
#include "weight.h"

#define PEAK_FLAGS 3 // bits below the mark

// The mark of the current peak.
static inline uint64_t peak_mark(void)
{
	return __atomic_load_n(&cgoheap_region->inuse.peak, __ATOMIC_ACQUIRE) >> PEAK_FLAGS;
}

// Copies what is in use at the site, if that has not been done since the peak.
void peak_copy(struct site *s, enum measure m);

// Before a site's tallies change, in either direction. The mark of the peak is loaded after the site's: if they differ,
// the peak's is the younger.
static inline void peak_before(struct site *s)
{
	for (int m = 0; m < site_measures(s); m++)
		if (__atomic_load_n(&s->flow[m].peak.mark, __ATOMIC_ACQUIRE) != peak_mark())
			peak_copy(s, m);
}

// So many bytes are in use from here on, in units of struct weight, or are not any more; by a recorder in a place of the
// gate. What is added is in the site's tallies already and can be freed by others; what is taken away is in them still.
void peak_raise(uint32_t place, uint64_t bytes);
void peak_lower(uint32_t place, uint64_t bytes);

// The bytes in use at a moment during the call, in units of struct weight; what is under way then is on either side of it.
// If a thread is stopped for a second just as it counts, that credit may be in it. One caller at a time of this and all below.
uint64_t peak_total(void);

// Holds the peak still and brings every site's share of it into peak.then, where it stands until peak_thaw, which must
// follow. One caller at a time.
void peak_freeze(void);
void peak_thaw(void);
// The highest total, in bytes, that passed while the peak was held still and is above it; 0 if none did.
uint64_t peak_missed(void);

// Forgets the peak: what is in use now is the highest so far. Not between freeze and thaw. If a thread is stopped for a
// second just as it counts, moments are passed over, which is counted, until it goes on.
void peak_reset(void);

#endif
