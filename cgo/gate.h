// The gate: how recorders and the one reader of the region stay out of each other's way without anyone in malloc ever
// waiting for long.
//
// A recorder enters by taking one of the gate's places, and has it to itself until it leaves: what is kept for each place
// (counters, the last walk) needs no atomic operation. A thread has a home, the place that it tries first each time. The
// homes are few, because a last walk is kept at each. Where a home is taken, by another thread or by what a signal
// interrupted, the recorder tries its neighbours, and then the other places, of which there are many more: a busy
// thread that the scheduler stops is mostly stopped inside, so that hundreds of them hold as many places.
//
// Where all places are taken a recorder waits a little, and then goes without: they may be held by threads that the
// scheduler keeps away, or have been left for good by a signal handler that jumped out of a hook.
//
// Time is cut into epochs. A recorder enters, learns the parity of the epoch, writes only tallies of that parity and
// leaves. To take a snapshot the reader moves to the next epoch and waits until the last recorder of the old one has
// left: the old parity's tallies then stand still, and hold exactly what was recorded before the cut. An event that
// touches two sites (realloc) enters once and lies on one side of the cut.
//
// Recorders that are stopped inside must run once more each before the reader can go on, and after that the reader has
// a small share of the processors among so many. So where many are inside it asks recorders to give way: each pauses for
// GATE_PAUSE after some dozens of events, outside of the gate. Threads that pause do not compete for a processor, and
// as many as it takes to keep all processors busy still run. That ends with the reader's work, or after a second or two.
//
// The same grace period tells when nobody can still be reading a row table that has been replaced, and that nobody is
// in the region after a stop.
#ifndef CGOHEAP_GATE_H
#define CGOHEAP_GATE_H

#include <stdbool.h>
#include <stdint.h>

// 0 while stopped; the number of the recording, which is positive; or negative before gate_build.
extern uint32_t cgoheap_generation __attribute__((visibility("hidden")));

static inline bool gate_unbuilt(uint32_t generation)
{
	return (int32_t)generation < 0;
}

#define GATE_HOMES 64
#define GATE_PLACES 2048
#define GATE_PAUSE 10000000 // nanoseconds: the longest wait in malloc that is ours

struct pass {
	uint32_t place, parity;
};

// Who is in a place: nobody, or a recorder of an epoch of this parity.
#define GATE_VACANT 0
#define GATE_INSIDE(parity) (2 | (parity))

extern struct gate_inside {
	_Alignas(64) uint32_t by; // one place, one cache line
} cgoheap_inside[GATE_PLACES] __attribute__((visibility("hidden")));

// The number of places that have ever been tried: GATE_HOMES or GATE_PLACES.
extern uint32_t cgoheap_places __attribute__((visibility("hidden")));

// Enters if the recording is still generation; what follows must be short and end with gate_leave. False if the recording
// is another, or if all places stayed taken for GATE_PAUSE, which is counted: either way there is nothing to record now.
bool gate_enter(struct pass *p, uint32_t generation);

static inline void gate_leave(struct pass p)
{
	__atomic_store_n(&cgoheap_inside[p.place].by, GATE_VACANT, __ATOMIC_RELEASE);
}

// Once, before the first recording: what the hooks stand before is known, and they may use it.
void gate_build(void);

// Starts a new recording; the number does not repeat within 2^31 recordings.
void gate_open(void);

// Ends the recording and waits until nobody is inside. False if somebody stayed inside for a second.
bool gate_close(void);

// Moves to the next epoch, waits for the old one, and settles its tallies at all sites. One caller at a time. False if
// somebody stayed inside for a second; what is settled is then the last complete epoch.
bool gate_settle(void);

// The number of recorders inside.
uint32_t gate_crowd(void);

// Asks recorders to give way to the caller for so many nanoseconds, or not any more, for 0.
void gate_give_way(uint64_t nanoseconds);

// In a forked child: never touch the region again.
void gate_forsake(void);

#endif
