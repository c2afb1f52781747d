// The region: all that the shim remembers, in one mapping. Offsets count bytes from its start; a ref counts units of
// 16 bytes and fits in 32 bits. Nothing moves, everything only grows until the recording ends, so another thread or
// process reads it in place while the program allocates.
//
//   header | filter | heads of stacks, sites, labels | module table | bump: stacks, sites, live levels, rows, index
#ifndef CGOHEAP_REGION_H
#define CGOHEAP_REGION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weight.h"

#define REGION_MAGIC 0x0070616568676f63ULL // "cgoheap" in memory order
#define REGION_VERSION 1
#define REGION_LEVELS 24
#define REGION_MODULES 65536
#define REGION_FILTER_SLOTS (1u << 20) // bytes; see live.c
#define REGION_FILTER 4096             // the filter's offset, fixed because free looks there
#define REGION_COUNTERS 32
#define REGION_LABEL_HEADS 1024

// The bytes in use and the highest they have been, in units of 2^-4, swapped as one. See peak.c.
struct inuse {
	uint64_t now, peak;
};

struct header {
	uint64_t magic;
	uint32_t version;
	uint32_t pid; // 0 in a child of the process
	uint64_t size;         // bytes that may be used
	uint64_t used;         // bytes given away by region_reserve
	uint64_t sample_bytes; // mean gap between samples, from each thread's next one on
	uint64_t started;      // nanoseconds since the epoch
	uint64_t stack_heads;  // offset of heads refs
	uint64_t site_heads;   // offset of heads refs
	uint64_t label_heads;  // offset of REGION_LABEL_HEADS refs
	uint64_t heads;        // a power of two
	uint64_t modules;      // offset of REGION_MODULES refs to struct module
	uint64_t lasts;        // offset of GATE_PLACES struct last
	uint64_t places;       // offset of GATE_PLACES struct counters, to be added to those below
	uint64_t index;        // offset of the current struct index, 0 before the first
	uint64_t clock;        // when the recording began, by CLOCK_MONOTONIC_COARSE, in nanoseconds
	_Alignas(16) struct inuse inuse;
	uint64_t peak_missed;  // the highest total while the peak was held still
	uint64_t peak_clock;   // when the peak was, by the same clock
	uint64_t levels[REGION_LEVELS]; // offsets of the live table's levels, 0 where there is none yet
	struct counters {
		uint64_t at[REGION_COUNTERS];
	} counters;
};

// An interned stack. Written once, then linked.
struct stack {
	uint32_t next; // ref of the next stack with this head
	uint32_t depth;
	uint64_t hash;
	uint32_t end;   // enum end: why the walk stopped
	uint32_t sizes; // sites made of this stack
	uint64_t frames[]; // module << 48 | call site, leaf first
};

// Sums of weights: objects in units of 2^-16, bytes in units of 2^-4, so that what was added can be taken back exactly.
struct tally {
	uint64_t alloc_objects, alloc_bytes, free_objects, free_bytes;
};

#define SITE_MIXED UINT64_MAX

// What is in use at a site, and what was at the peak. See peak.c.
struct peak {
	uint64_t state;
	struct weight now, then;
};

#define REGION_LIFETIMES 6

// What a site freed, by how long it had lived. See lifetimes.c.
struct lifetimes {
	struct weight base[REGION_LIFETIMES], delta[2][REGION_LIFETIMES];
};

// A site is a stack, a block size and a set of labels. Recorders add to delta[epoch & 1]; gate_settle moves a delta into base.
struct site {
	uint32_t next; // ref of the next site with this head
	uint32_t stack;
	uint64_t size; // bytes asked for; SITE_MIXED for a stack with too many sizes
	struct tally base, delta[2];
	struct peak peak;
	uint32_t lifetimes; // ref of struct lifetimes, 0 before the first free
	uint32_t labels;    // ref of struct labels, 0 for none
};

// An interned set of labels. Written once, then linked. Entries follow each other: struct label, key, text.
struct labels {
	uint32_t next; // ref of the next set with this head
	uint32_t size; // bytes of entries
	uint64_t hash;
	char entries[];
};

struct label {
	uint16_t key_size, text_size;
};

// A live block's record; its address is the key beside it. See live.c.
struct block {
	uint64_t objects, bytes; // the weight given when it was sampled, in units of struct tally
	uint32_t site;
	uint32_t born; // ticks of clock.h
};

#define BUCKET 8
#define LEVEL_BUCKETS 512 // in the first level
#define RESERVED 1        // a key whose record is being written

struct bucket {
	uint64_t keys[BUCKET];
	struct block blocks[BUCKET];
};

// A module as a reader of the region needs it; strings follow without terminators.
struct module {
	uint64_t start, limit, bias;
	uint32_t build_id_size, path_size;
	char strings[];
};

__attribute__((visibility("hidden"))) extern struct header *cgoheap_region; // NULL before the first start; never unmapped afterwards
extern uint64_t cgoheap_mapped; // bytes at cgoheap_region, whatever stands in its header

static inline void *region_at(uint64_t offset)
{
	return (char *)cgoheap_region + offset;
}

static inline void *region_ref(uint32_t ref)
{
	return (char *)cgoheap_region + (uint64_t)ref * 16;
}

// Maps a region of size bytes, or takes back one that an earlier recording left. 0, or the errno.
int region_open(uint64_t size, uint64_t sample_bytes);

// Gives the memory back and keeps the addresses, because a thread may still read the filter.
void region_close(void);

// Offset of size zeroed bytes, aligned to 64 where size is at least 64, to 16 otherwise; 0 when the region is full.
uint64_t region_reserve(uint64_t size);

// Everything that the shim counts. The sentences are in counters.go, in this order.
enum counter {
	COUNT_SAMPLES,
	COUNT_FREES,
	COUNT_STACKS,
	COUNT_SITES,
	COUNT_LIVE,
	COUNT_END, // one counter per enum end follows
	COUNT_LOST_STACK = COUNT_END + 12,
	COUNT_LOST_SITE,
	COUNT_LOST_LIVE,
	COUNT_MIXED,
	COUNT_UNSETTLED,
	COUNT_WAKES,
	COUNT_PEAK_INEXACT,
	COUNT_LOST_LIFETIME,
	COUNT_LABEL_SETS,
	COUNT_LOST_LABELS,
	COUNT_LABELS_CUT,
	COUNT_UNSEEN,
};

// Whether this is the process that opened the region, which exists. In any other the kernel has wiped the header, even
// where it was cloned and libc ran no handler of fork.
static inline bool region_here(void)
{
	return __atomic_load_n(&cgoheap_region->pid, __ATOMIC_RELAXED) != 0;
}

static inline void count(enum counter c)
{
	__atomic_fetch_add(&cgoheap_region->counters.at[c], 1, __ATOMIC_RELAXED);
}

// Counts n, which may be -1, in a place of the gate that the caller is in: without an atomic addition, for what counts often.
static inline void count_in(uint32_t place, enum counter c, uint64_t n)
{
	uint64_t *at = &((struct counters *)region_at(cgoheap_region->places))[place].at[c];
	__atomic_store_n(at, __atomic_load_n(at, __ATOMIC_RELAXED) + n, __ATOMIC_RELAXED);
}

// What was counted, in the header and in all places.
uint64_t cgoheap_counted(enum counter c);

#endif
