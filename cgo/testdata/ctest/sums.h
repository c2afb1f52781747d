// A site's sums at the last settle, as a reader of the region computes them.
#ifndef CGOHEAP_CTEST_SUMS_H
#define CGOHEAP_CTEST_SUMS_H

#include "../../lifetimes.h"
#include "../../region.h"
#include "../../site.h"

struct sums {
	struct weight allocated, in_use;
};

static inline uint64_t settled(const struct tally *t)
{
	return t->settled[0] + t->settled[1];
}

// Returns what the site freed in a class of lifetimes.
static inline uint64_t freed_in(const struct site *s, int m, uint32_t class)
{
	uint64_t sum = __atomic_load_n(&s->class, __ATOMIC_RELAXED) == class + 1 ? settled(&s->flow[m].freed) : 0;
	for (uint32_t ref = __atomic_load_n(&s->lifetimes, __ATOMIC_ACQUIRE); ref != 0;) {
		const struct lifetime *l = region_ref(ref);
		sum += l->class == class ? settled(&l->freed[m]) : 0;
		ref = __atomic_load_n(&l->next, __ATOMIC_ACQUIRE);
	}
	return sum;
}

static inline uint64_t freed_of(const struct site *s, int m)
{
	uint64_t sum = 0;
	for (uint32_t class = 0; class <= REGION_LIFETIMES; class++)
		sum += freed_in(s, m, class);
	return sum;
}

static inline struct sums sums_of(const struct site *s)
{
	struct sums sums;
	for (int m = 0; m < site_measures(s); m++) {
		sums.allocated.of[m] = settled(&s->flow[m].allocated);
		sums.in_use.of[m] = sums.allocated.of[m] - freed_of(s, m);
	}
	if (s->size != SITE_MIXED) {
		sums.allocated.of[BYTES] = sums.allocated.of[OBJECTS] * s->size >> 12;
		sums.in_use.of[BYTES] = sums.in_use.of[OBJECTS] * s->size >> 12;
	}
	return sums;
}

#endif
