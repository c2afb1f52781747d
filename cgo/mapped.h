// Keeps the memory that recorded calls have mapped: ranges of addresses that do not overlap, each with the call that made it.
// See mapped.c.
#ifndef CGOHEAP_MAPPED_H
#define CGOHEAP_MAPPED_H

#include <stddef.h>
#include <stdint.h>

#include "mapped_event.h"
#include "mapped_tree.h"

// Reports an event to the table. It need not be applied when this returns: the next event, or the reader, sees to that. Returns
// the event's number, or 0 if there was no room for GATE_PAUSE; then it is counted and lost. Inside the gate.
uint64_t mapped_report(const struct mapped_event *e);

// The number of the last event. May be called outside of the gate, by a thread that enters it afterwards.
uint64_t mapped_last(void);

// Forgets what earlier recordings have lost. While none records.
void mapped_begin(void);

// An event could not be reported. What was mapped in its ranges until now may have been unmapped by it, and is
// then of unknown caller.
void mapped_lose(const struct mapped_event *e);

// Copies the ranges at one moment, in no order, and returns how many there are, of which only max are copied. All events that
// were reported before are in. SIZE_MAX if a thread is stopped while it reports one. While the recording cannot end.
size_t mapped_read(struct mapped *to, size_t max);

// The bytes of the table's fixed part, in the region.
uint64_t mapped_size(void);

#endif
