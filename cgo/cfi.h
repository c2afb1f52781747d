// The rule for a code address, from the unwind data of its file in memory. Package unwind is the other way to the same
// rule: it makes rows of all unwind data.
#ifndef CGOHEAP_CFI_H
#define CGOHEAP_CFI_H

#include "image.h"
#include "rows.h"

// Sets *rule to the rule for pc, CFA_NONE if no FDE covers it. False if the image has no table sorted by address, or
// cannot be read: then the rule is unknown.
bool cfi_rule(const struct image *image, uintptr_t pc, struct rule *rule);

#endif
