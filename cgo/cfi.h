// The rule for a code address, from the unwind data of its file as it lies in memory. The other road to the same rule is
// package unwind, which makes rows of all of it.
#ifndef CGOHEAP_CFI_H
#define CGOHEAP_CFI_H

#include "image.h"
#include "rows.h"

// *rule becomes the rule for pc: CFA_NONE where no FDE covers it. False if the image has no table that is sorted by
// address, or cannot be read: then nothing is known.
bool cfi_rule(const struct image *image, uintptr_t pc, struct rule *rule);

#endif
