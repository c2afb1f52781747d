// The queue of events, and the lock of the tree that they change. See mapped_queue.c.
#ifndef CGOHEAP_MAPPED_QUEUE_H
#define CGOHEAP_MAPPED_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "mapped_table.h"

// Queues an event and returns its number, or 0 if there was no room for GATE_PAUSE.
uint64_t mapped_queue(struct mapped_table *t, const struct mapped_event *e);

// Applies what is in the queue, hundreds of events at most, if nobody else has the lock: that thread applies it then.
void mapped_help(struct mapped_table *t);

// Locks the tree; false if another thread has the lock. A signal handler may find that the code it interrupted has it.
bool mapped_lock(struct mapped_table *t);
void mapped_unlock(struct mapped_table *t);

// Applies at most so many events, up to one that is being written. With the lock.
void mapped_drain(struct mapped_table *t, uint64_t most);

#endif
