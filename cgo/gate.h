// The gate: keeps recorders and the one reader of the region out of each other's way, without anyone in malloc ever
// waiting for long.
//
// A recorder enters by taking one of the gate's slots, and has it to itself until it leaves: the data of a slot
// (counters, the last walk) needs no atomic operation. A thread has a home, the slot that it tries first each time. There
// are few homes, because each keeps a last walk. If a home is taken, by another thread or by the code that a signal
// interrupted, the recorder tries the neighbouring homes, and then the other slots, of which there are many more: a busy
// thread that the scheduler stops is mostly stopped inside, so hundreds of stopped threads hold hundreds of slots.
//
// If all slots are taken a recorder waits a little, and then goes on unrecorded: the slots may be held by threads
// that are not scheduled, or lost for good to signal handlers that jumped out of malloc, which nobody may. Out of mmap a
// handler may jump, so the hooks of calls that map memory block signals.
//
// Time is cut into epochs. A recorder enters, learns the parity of the epoch, writes only tallies of that parity and
// leaves. To take a snapshot the reader moves to the next epoch and waits until the last recorder of the old one has
// left: the old parity's tallies then stand still, and hold exactly what was recorded before the cut. An event that
// touches two sites (realloc) enters once and lies on one side of the cut.
//
// Recorders that are stopped inside must each run once more before the reader can go on, and then the reader still gets
// only a small share of the processors. So if many are inside, the reader asks recorders to give way: each pauses for
// GATE_PAUSE after every so many events, outside of the gate. Pausing threads do not compete for a processor, and
// enough other threads run to keep all processors busy. That ends with the reader's work, or after a second or two.
//
// The same grace period shows when no recorder can still be reading a row table that has been replaced, and that none
// is in the region after a stop.
#ifndef CGOHEAP_GATE_H
#define CGOHEAP_GATE_H

#include <stdbool.h>
#include <stdint.h>

#include "counters.h"
#include "slots.h"
#include "thread.h"

// The number of the recording, which is positive; 0 while stopped, and negative before gate_build.
extern uint32_t cgoheap_generation __attribute__((visibility("hidden")));

static inline bool gate_unbuilt(uint32_t generation)
{
	return (int32_t)generation < 0;
}

#define GATE_PAUSE 10000000 // nanoseconds: the longest that a hook makes malloc wait

struct pass {
	uint32_t slot, parity;
};

// The state of a slot: vacant, or taken by a recorder of an epoch with this parity.
#define GATE_VACANT 0
#define GATE_INSIDE(parity) (2 | (parity))

extern struct gate_inside {
	_Alignas(64) uint32_t by; // one slot, one cache line
} cgoheap_inside[GATE_SLOTS] __attribute__((visibility("hidden")));

// The number of slots that have ever been tried: GATE_HOMES or GATE_SLOTS.
extern uint32_t cgoheap_slots __attribute__((visibility("hidden")));

// Enters if the recording is still generation; the work inside must be short and end with gate_leave. False if it is another
// recording, or if all slots stayed taken for GATE_PAUSE, which is counted: either way, the caller must record nothing.
bool gate_enter(struct pass *p, uint32_t generation);

static inline void gate_vacate(struct pass p)
{
	__atomic_store_n(&cgoheap_inside[p.slot].by, GATE_VACANT, __ATOMIC_RELEASE);
}

static inline void gate_leave(struct pass p)
{
	gate_vacate(p);
	cgoheap_thread.inside--;
}

// Called once, before the first recording, when the real functions are known: from then on the hooks may use them.
void gate_build(void);

// Starts a new recording; the number does not repeat within 2^31 recordings.
void gate_open(void);

// Ends the recording and waits until no recorder is inside. False if one stayed inside for a second.
bool gate_close(void);

// Moves to the next epoch, waits for the old one, and settles its tallies at all sites. One caller at a time. False if
// a recorder stayed inside for a second; the last complete epoch is then settled.
bool gate_settle(void);

// The number of recorders inside.
uint32_t gate_crowd(void);

// Asks recorders to give way to the caller for a number of nanoseconds, each after every so many of its events, at least 1;
// 0 nanoseconds end that.
void gate_give_way(uint64_t nanoseconds, uint32_t every);

// The value of a counter: the sum of the header's and of all slots'.
uint64_t cgoheap_counted(enum counter c);

// In a forked child: never touch the region again.
void gate_forsake(void);

#endif
