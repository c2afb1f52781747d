// The peak: what was in use at the moment when most was, kept per site at a few instructions per sampled block.
#ifndef CGOHEAP_PEAK_H
#define CGOHEAP_PEAK_H

#include <stdbool.h>
#include <stdint.h>

#include "region.h"
#include "weight.h"

// A block is in use at the site from here on. After whatever lets it be freed by others.
void peak_add(struct site *s, struct weight w);
// It is not any more.
void peak_subtract(struct site *s, struct weight w);

// Holds the peak still and brings every site's share of it into peak.then, where it stands until peak_thaw. False if
// some site was stuck in the middle of a change for a second. One caller at a time; peak_thaw must follow in any case.
bool peak_freeze(void);
void peak_thaw(void);
// The highest total, in bytes, that passed while the peak was held still and is above it; 0 if none did.
uint64_t peak_missed(void);

// Forgets the peak: what is in use now is the highest so far. Not between freeze and thaw.
void peak_reset(void);

#endif
