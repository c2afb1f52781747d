// A site's record. Sites are made and found in sites.c.
#ifndef CGOHEAP_SITE_H
#define CGOHEAP_SITE_H

#include <stdint.h>

#include "region.h"
#include "tally.h"
#include "weight.h"

// The amount in use at a peak, and the mark of that peak, swapped as one. See peak.c.
struct peak {
	_Alignas(16) uint64_t mark;
	uint64_t then;
};

// The sums of one measure of a site. Every site counts objects. A site with blocks of mixed sizes also counts bytes;
// otherwise bytes follow from objects and the size.
struct flow {
	struct tally allocated;
	struct tally freed; // blocks whose lifetime was of the site's class
};

#define SITE_MIXED UINT64_MAX

// Where the blocks of a site lie, by the kind that the program has reported them with: "cuda" and "hip", alone or before a space, are
// memory of a device, but for "cuda pinned" and "hip pinned", which are the host's.
// What is registered with a driver is memory of the host that is somebody's already: its key is no address.
enum site_device { SITE_ON_HOST, SITE_ON_DEVICE, SITE_PINNED, SITE_REGISTERED };
#define SITE_KEY_ADDRESS_BITS 60
#define KEY_TAG (15ULL << SITE_KEY_ADDRESS_BITS)
#define KEY_REGISTERED (4ULL << SITE_KEY_ADDRESS_BITS)

// A site is a stack, a block size, a set of labels, and where the blocks lie.
struct site {
	uint32_t next[2];
	uint64_t size;      // bytes asked for; SITE_MIXED for a stack with too many sizes
	uint32_t stack;
	uint32_t labels;    // ref of struct labels, 0 for none
	uint32_t lifetimes; // ref of the first struct lifetime, 0 for none
	uint8_t class;      // its class of lifetimes + 1, 0 before the first free
	uint8_t device;     // enum site_device
	struct peak peaks[MEASURES];
	struct flow flow[]; // one for each measure
};

// Each sample writes a flow, while other processors may be searching for the site: the search must not read the flow's
// cache line.
_Static_assert(sizeof(struct site) == 64 && sizeof(struct flow) == 64, "a flow is one cache line, and shares none with what is only read");

static inline int site_measures(const struct site *s)
{
	return s->size == SITE_MIXED ? MEASURES : 1;
}

// Prefetches all lines of a site that will be written at once. Atomic additions would wait for one line after the
// other. It never faults.
static inline void site_prefetch(uint32_t ref)
{
	const char *at = region_ref(ref);
#pragma GCC unroll 4
	for (uint64_t line = 0; line < sizeof(struct site) + MEASURES * sizeof(struct flow); line += 64)
		__builtin_prefetch(at + line, 1);
}

#endif
