// The region: all that is recorded, in one mapping. Offsets count bytes from its start; a ref counts units of 16 bytes
// and fits in 32 bits. Nothing moves, everything only grows until the recording ends, so another thread or process
// reads it in place while the program allocates.
//
//   header | filter | heads of frames, nodes, stacks, labels | module table | bump: records, live levels, rows, index
//
// Each structure behind the header is declared by the file that writes it: stacks.h, site.h, lifetimes.h, labels.h, block.h,
// live.h, rows.h, lookup.h, objects.h, last.h, gate_slot.h. layout.c knows how much room each needs.
#ifndef CGOHEAP_REGION_H
#define CGOHEAP_REGION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "counters.h"

#define REGION_MAGIC 0x0070616568676f63ULL // "cgoheap" in memory order
#define REGION_VERSION 20
#define REGION_LEVELS 24
#define REGION_MODULES 65536
#define REGION_DEVICES 11
#define REGION_FILTER_SLOTS (1u << 20) // bytes; see filter.c
#define REGION_FILTER 65536            // the filter's offset, fixed because free looks there; a page of its own on any kernel
#define REGION_CARRIES 128
#define REGION_CHUNKS 4
#define REGION_END 64                  // bytes at the end that nothing is recorded in: see region_file_is_whole
#define REGION_MOST (16ULL << 32) // the bytes that a ref can address
#define REGION_ALIGN(x, to) (((x) + (to) - 1) & ~((uint64_t)(to) - 1))

// The bytes in use and the highest they have been, swapped as one. See peak.c.
struct inuse {
	uint64_t now, peak;
};

// How often a word of a tally has wrapped: now, and at the last settle. See tally.c.
struct carry {
	uint64_t word; // its offset, 0 for none
	uint32_t running, settled;
};

struct header {
	uint64_t magic;
	uint32_t version;
	uint32_t pid; // 0 in a child of the process, unless the region lies in a file
	uint64_t size;         // bytes that may be used
	uint64_t used;         // bytes that region_reserve has handed out
	uint64_t chunks[REGION_CHUNKS]; // by the lines of a record, 0 for less than one: ref of the unused rest << 32 | its units
	uint64_t sample_bytes; // mean interval between samples, for each thread from its next sample on
	uint64_t started;      // nanoseconds since the epoch
	uint64_t frame_heads;  // these are offsets of heads refs
	uint64_t node_heads;
	uint64_t stack_heads;  // of struct stack_head
	uint64_t label_heads;
	uint64_t heads;        // a power of two
	uint64_t modules;      // offset of REGION_MODULES refs to struct module
	uint64_t lasts;        // offset of last_size() bytes; see last.c
	uint64_t slots;        // offset of GATE_SLOTS struct gate_slot
	uint64_t asked;        // how often a rule was looked for in memory, because there are no rows yet
	uint64_t objects;      // offset of OBJECT_SLOTS refs to struct object
	uint64_t met;          // offset of CACHE_ENTRIES struct cache_entry: rules in objects
	uint64_t mapped;       // offset of mapped_size() bytes; see mapped.c
	uint64_t index;        // offset of the current struct index, 0 before the first
	uint64_t filter_stuck; // not 0 if a counter of the filter may be stuck
	uint64_t clock;        // when the recording began, by CLOCK_MONOTONIC_COARSE, in nanoseconds
	uint64_t seed;         // these are for readers outside the process: struct options has them
	uint64_t max_depth;
	uint64_t about;        // offset of a description of the process; 0 for none
	uint64_t about_size;   // in bytes
	uint64_t flight;       // offset of the flight recorder's notes, which package flight lays out; 0 for none
	uint64_t flight_size;  // in bytes
	uint64_t asked_to_end; // the last signal that asked the process to end, and when; see ending.h
	uint64_t faulted;      // the same of a signal that says that the program is faulty
	uint64_t missing;      // pages that the file has not, because it had no room: what they hold is in this process only
	uint64_t go_pages;     // the address of the struct page_set of what Go's runtime has mapped, for readers outside the process
	uint64_t scratch;      // the address of the memory that hooks work in, for them too
	uint64_t scratch_size; // in bytes
	uint64_t devices[REGION_DEVICES]; // offsets of the levels of what is known of devices, 0 where there is none yet; see device_books.c
	_Alignas(16) struct inuse inuse;
	uint64_t device_in_use; // of devices, in units of 2^-4 bytes, which the total above has not; 0 before the first block
	uint64_t pinned_in_use; // of the total above, what is pinned for devices, in the same units
	uint64_t device_sampled; // whether any block of a device was sampled, by a report; what the hooks of a driver record is exact
	uint64_t peak_missed;  // the highest total while the peak was held still
	uint64_t peak_clock;   // when the peak was, by the same clock
	uint64_t settles;       // twice as many as there were, and odd during one: whoever copies the tables looks before and after
	uint64_t settled_clock; // the moment that the settled sums are of, by the same clock
	uint64_t level_count;  // of the live table; a moment ago, there may be more
	uint64_t levels[REGION_LEVELS]; // offsets of the live table's levels, 0 where there is none yet
	uint64_t counters[COUNTS];
	struct carry carries[REGION_CARRIES];
};

__attribute__((visibility("hidden"))) extern struct header *cgoheap_region; // NULL before the first start; never unmapped afterwards
extern uint64_t cgoheap_mapped; // bytes mapped at cgoheap_region, whatever the header contains

// Not 0 in the process that opened the region. It lies in memory that the kernel wipes in any child.
__attribute__((visibility("hidden"))) extern uint32_t *cgoheap_here;

// How many bytes of a file, or of a segment, the region lies in; 0 if it is the process's own memory.
extern uint64_t cgoheap_file_size;

// A file for a region, mapped as a whole, shared. No descriptor is kept: the program could close it, and have another file under its
// number. Nor is there a time at which the program could take its number for one of its own.
//
// Or a segment of System V shared memory, which has no path. The kernel has promised all of its memory, and nobody can make it shorter, so
// no page of it can be missing: hooks need no shield.
struct region_file {
	uintptr_t pages;
	const char *path;       // a child finds it there; NULL for a segment
	uint64_t device, inode; // and knows it by these
};

// Whether the region lies in a file that pages may be missing of.
bool region_may_lack_pages(void);

// Whether the file has all its pages that ever were there: nobody has made it shorter.
bool region_file_is_whole(void);

// Adds one to a word, unless its page cannot be had. That is no signal: the kernel does it.
bool region_add_one(void *word);

static inline void *region_at(uint64_t offset)
{
	return (char *)cgoheap_region + offset;
}

static inline void *region_ref(uint32_t ref)
{
	return (char *)cgoheap_region + (uint64_t)ref * 16;
}

// Maps size bytes for a region, or reuses the region of an earlier recording. All of it is zero. Returns 0, or the errno. If file is
// not NULL, it lies in that, which must have so many bytes, all zero; but for the filter, which free reads at any moment. If there
// is no room for even one page of the file, the region lies in memory. The file's pages are the region's, or unmapped, afterwards.
int region_map(const struct region_file *file, uint64_t size);

// Lets the region be written up to an offset. Until then it is address space, of which only reading is allowed: memory that may be
// written counts against RLIMIT_DATA, although nobody has. False if a limit is reached.
bool region_allow(uint64_t end);

// Frees the memory and keeps the addresses, because a thread may still read the filter. The file is no longer mapped then; if the
// kernel refuses that, it is zeroed.
void region_close(void);

// In a forked child: a region in a file becomes a copy of it, if the file is still found; one in a segment becomes memory, with a copy only if
// a hook goes on in the child because a handler has interrupted it.
void region_forsake(bool goes_on);

// Returns the offset of size zeroed bytes, aligned to 64 if size is at least 64, to 16 otherwise; 0 when the region is
// full. A record below 64 bytes lies above all such records that were reserved before it.
uint64_t region_reserve(uint64_t size);

// Whether this is the process that opened the region, which must exist. In any other process the kernel has wiped the
// word, even in a clone for which libc ran no fork handler.
static inline bool region_here(void)
{
	return __atomic_load_n(__atomic_load_n(&cgoheap_here, __ATOMIC_RELAXED), __ATOMIC_RELAXED) != 0;
}

static inline void count(enum counter c)
{
	__atomic_fetch_add(&cgoheap_region->counters[c], 1, __ATOMIC_RELAXED);
}

// Takes one away from a counter of things that come and go.
static inline void uncount(enum counter c)
{
	__atomic_fetch_sub(&cgoheap_region->counters[c], 1, __ATOMIC_RELAXED);
}

#endif
