// What an event changes in the tree of ranges, and in the list of calls that have not returned. See mapped_apply.c.
#ifndef CGOHEAP_MAPPED_APPLY_H
#define CGOHEAP_MAPPED_APPLY_H

#include <stdint.h>

#include "mapped_table.h"

// Applies the event with this number. Events are applied in the order of their numbers, by the
// thread that holds the lock.
void mapped_apply(struct mapped_table *t, struct mapped_event *e, uint64_t number);

#endif
