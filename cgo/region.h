// The region: all that the shim remembers, in one mapping. Offsets count bytes from its start; a ref counts units of
// 16 bytes and fits in 32 bits. Nothing moves, everything only grows until the recording ends, so another thread or
// process reads it in place while the program allocates.
//
//   header | filter | heads of frames, nodes, stacks, labels | module table | bump: records, live levels, rows, index
#ifndef CGOHEAP_REGION_H
#define CGOHEAP_REGION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "counters.h"
#include "weight.h"

#define REGION_MAGIC 0x0070616568676f63ULL // "cgoheap" in memory order
#define REGION_VERSION 2
#define REGION_LEVELS 24
#define REGION_MODULES 65536
#define REGION_FILTER_SLOTS (1u << 20) // bytes; see filter.c
#define REGION_FILTER 4096             // the filter's offset, fixed because free looks there
#define REGION_CARRIES 128
#define REGION_MOST (16ULL << 32) // what a ref reaches

// The bytes in use and the highest they have been, swapped as one. See peak.c.
struct inuse {
	uint64_t now, peak;
};

// How often a word of a tally has wrapped: now, and at the last settle. See carries.c.
struct carry {
	uint64_t word; // its offset, 0 for none
	uint32_t running, settled;
};

struct header {
	uint64_t magic;
	uint32_t version;
	uint32_t pid; // 0 in a child of the process
	uint64_t size;         // bytes that may be used
	uint64_t used;         // bytes given away by region_reserve
	uint64_t small;        // the chunk that small records are cut from: the ref of what is left << 32 | how many units
	uint64_t sample_bytes; // mean gap between samples, from each thread's next one on
	uint64_t started;      // nanoseconds since the epoch
	uint64_t frame_heads;  // these are offsets of heads refs
	uint64_t node_heads;
	uint64_t stack_heads;
	uint64_t label_heads;
	uint64_t heads;        // a power of two
	uint64_t modules;      // offset of REGION_MODULES refs to struct module
	uint64_t lasts;        // offset of GATE_HOMES struct last
	uint64_t places;       // offset of GATE_PLACES struct gate_place
	uint64_t asked;        // how often a rule was looked for in memory, because there are no rows yet
	uint64_t objects;      // offset of OBJECT_SLOTS refs to struct object
	uint64_t met;          // offset of CACHE_PLACES struct place: rules in objects
	uint64_t index;        // offset of the current struct index, 0 before the first
	uint64_t filter_stuck; // not 0 if a counter of the filter may be stuck
	uint64_t clock;        // when the recording began, by CLOCK_MONOTONIC_COARSE, in nanoseconds
	_Alignas(16) struct inuse inuse;
	uint64_t peak_missed;  // the highest total while the peak was held still
	uint64_t peak_clock;   // when the peak was, by the same clock
	uint64_t levels[REGION_LEVELS]; // offsets of the live table's levels, 0 where there is none yet
	uint64_t counters[COUNTS];
	struct carry carries[REGION_CARRIES];
};

// What each place of the gate has for itself.
struct gate_place {
	uint64_t counters[COUNTS]; // to be added to the header's
	_Alignas(64) uint64_t credit;       // see peak.c
};

// Interned records begin with refs of two more; see trie.h. What they are is written once, then they are linked.

struct frame {
	uint32_t next[2];
	uint64_t frame; // module << 48 | call site
};

// A frame below its callers: each node with all nodes above it is a stack or the outer part of some.
struct node {
	uint32_t next[2];
	uint32_t caller; // ref of the caller's node, which is lower; of the outermost frame, the enum end that the walk stopped with
	uint32_t frame;  // ref
};

#define STACK_ENDS (REGION_FILTER / 16) // no record has a ref as low; a caller below is an enum end

// The hash of a stack's frames, 128 bits.
struct stack_hash {
	uint64_t of[2];
};

// One cache line.
struct stack {
	_Alignas(64) uint32_t next[2];
	struct stack_hash hash;
	uint32_t node;  // of the leaf, or an enum end where there is no frame
	uint32_t sites; // ref of the first site made of this stack; the others hang below it
	uint32_t mixed; // ref of the first without a size of its own, 0 for none
	uint32_t sizes; // how many sites have a size of their own
	uint64_t size_bits[2]; // of the hashes of those; see sites.c
};

// A sum that recorders add to: in running, the word of their epoch's parity. gate_settle brings settled up to it, one
// parity at a time, when nobody writes that one any more; the sum at the last cut is that of the two settled words, and of
// 2^64 for each time that one of them wrapped.
struct tally {
	_Alignas(16) uint64_t running[2];
	uint64_t settled[2];
};

// Counts that a running word wrapped.
void tally_carry(const uint64_t *word);

// Settles the carries of a parity that nobody writes any more.
void carries_settle(uint32_t parity);

static inline void tally_add(struct tally *t, uint32_t parity, uint64_t n)
{
	uint64_t before = __atomic_fetch_add(&t->running[parity], n, __ATOMIC_RELAXED);
	if (__builtin_expect(before + n < before, 0))
		tally_carry(&t->running[parity]);
}

static inline void tally_settle(struct tally *t, uint32_t parity)
{
	__atomic_store_n(&t->settled[parity], __atomic_load_n(&t->running[parity], __ATOMIC_ACQUIRE), __ATOMIC_RELAXED);
}

// The sum of what was added until now; it wraps. A difference of sums that fits in a word is right all the same.
static inline uint64_t tally_now(const struct tally *t)
{
	return __atomic_load_n(&t->running[0], __ATOMIC_RELAXED) + __atomic_load_n(&t->running[1], __ATOMIC_RELAXED);
}

#define REGION_LIFETIMES 6 // classes of them; see lifetimes.c

// What was in use at a peak, and the mark of that peak, swapped as one. See peak.c.
struct peak {
	_Alignas(16) uint64_t mark;
	uint64_t then;
};

// What a site counts of a measure: of objects, and of bytes where its blocks are of mixed sizes. Where all have one size,
// objects tell the bytes.
struct flow {
	struct peak peak;
	struct tally allocated;
	struct tally freed; // those of the site's class of lifetimes
};

// What a site freed of another class than its own. One tally for each measure.
struct lifetime {
	uint32_t next; // ref of the next of the site, 0 for none
	uint32_t class;
	struct tally freed[];
};

#define SITE_MIXED UINT64_MAX

// A site is a stack, a block size and a set of labels. One that threads on several places of the gate use at a high rate
// is split: each place gets a site for itself.
struct site {
	uint32_t next[2];
	uint64_t size;      // bytes asked for; SITE_MIXED for a stack with too many sizes
	uint32_t stack;
	uint32_t labels;    // ref of struct labels, 0 for none
	uint32_t whole;     // ref of the site that this is a part of, 0 for none
	uint32_t lifetimes; // ref of the first struct lifetime, 0 for none
	uint32_t visited;   // the tick of the last visit by another place than made it
	uint16_t visits;    // of those, in that tick
	uint8_t place;      // which made it
	uint8_t class;      // its class of lifetimes and one, 0 before the first free
	struct flow flow[]; // one for each measure
};

static inline int site_measures(const struct site *s)
{
	return s->size == SITE_MIXED ? MEASURES : 1;
}

// An interned set of labels. Written once, then linked. Entries follow each other: struct label, key, text.
struct labels {
	uint32_t next[2];
	uint32_t size; // bytes of entries
	uint32_t tag;  // of their hash
	char entries[];
};

struct label {
	uint16_t key_size, text_size;
};

// A live block's record; its address is the key beside it. See live.c.
struct block {
	struct weight weight; // given when it was sampled, and with more in the upper bits of its objects: see block.h
	uint32_t site;
	uint32_t born; // ticks of clock.h, the lower bits
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

// Offset of size zeroed bytes, aligned to 64 where size is at least 64, to 16 otherwise; 0 when the region is full. A record
// below 64 bytes lies above all such records that were reserved before it.
uint64_t region_reserve(uint64_t size);

// Whether this is the process that opened the region, which exists. In any other the kernel has wiped the header, even
// where it was cloned and libc ran no handler of fork.
static inline bool region_here(void)
{
	return __atomic_load_n(&cgoheap_region->pid, __ATOMIC_RELAXED) != 0;
}

static inline void count(enum counter c)
{
	__atomic_fetch_add(&cgoheap_region->counters[c], 1, __ATOMIC_RELAXED);
}

// Takes one back of what a count of things that come and go has.
static inline void uncount(enum counter c)
{
	__atomic_fetch_sub(&cgoheap_region->counters[c], 1, __ATOMIC_RELAXED);
}

static inline struct gate_place *place_at(uint32_t place)
{
	return (struct gate_place *)region_at(cgoheap_region->places) + place;
}

// Counts n, which may be -1, in a place of the gate that the caller is in: without an atomic addition, for what counts often.
static inline void count_in(uint32_t place, enum counter c, uint64_t n)
{
	uint64_t *at = &place_at(place)->counters[c];
	__atomic_store_n(at, __atomic_load_n(at, __ATOMIC_RELAXED) + n, __ATOMIC_RELAXED);
}

// What was counted, in the header and in all places.
uint64_t cgoheap_counted(enum counter c);

#endif
