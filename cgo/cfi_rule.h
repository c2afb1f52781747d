// Turns the state that the instructions computed into a rule.
#ifndef CGOHEAP_CFI_RULE_H
#define CGOHEAP_CFI_RULE_H

#include "cfi_program.h"
#include "rows.h"

// The rule that recovers the registers as the state describes.
struct rule cfi_rule_of(const struct state *s, bool signal);

#endif
