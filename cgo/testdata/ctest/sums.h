// What a reader of the region makes of a site at the last settle.
#ifndef CGOHEAP_CTEST_SUMS_H
#define CGOHEAP_CTEST_SUMS_H

#include "../../region.h"

struct sums {
	struct weight allocated, in_use;
};

static inline uint64_t settled(const struct tally *t)
{
	return t->settled[0] + t->settled[1];
}

static inline uint64_t freed_of(const struct site *s, int m)
{
	uint32_t ref = __atomic_load_n(&s->lifetimes, __ATOMIC_ACQUIRE);
	const lifetimes *l = region_ref(ref);
	uint64_t sum = settled(&s->flow[m].freed);
	for (int i = 0; ref != 0 && i < REGION_LIFETIMES; i++)
		sum += settled(&l[m][i]);
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
