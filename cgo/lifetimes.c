//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

#include "lifetimes.h"

#include "clock.h"

#define SECOND 1000000000ULL

const uint64_t cgoheap_lifetimes[REGION_LIFETIMES] = {
	SECOND / 10, SECOND, 10 * SECOND, 60 * SECOND, 600 * SECOND, 3600 * SECOND,
};

static int class_of(uint64_t ticks)
{
	int class = 0;
	while (class < REGION_LIFETIMES && ticks > cgoheap_lifetimes[class] >> CLOCK_TICK_BITS)
		class++;
	return class;
}

static lifetimes *lifetimes_of(const struct site *s)
{
	uint32_t ref = __atomic_load_n(&s->lifetimes, __ATOMIC_ACQUIRE);
	return ref == 0 ? NULL : region_ref(ref);
}

// The site's lifetimes, made at its first free. Two threads that make them at once reserve them twice, and one of the
// two places stays unused. NULL when the region is full.
static lifetimes *make_for(struct site *s)
{
	uint32_t none = 0, made = region_reserve(site_measures(s) * sizeof(lifetimes)) / 16;
	if (made != 0)
		__atomic_compare_exchange_n(&s->lifetimes, &none, made, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
	return lifetimes_of(s);
}

bool lifetimes_add(struct site *s, uint32_t parity, uint64_t ticks, struct weight w)
{
	int class = class_of(ticks);
	if (class == REGION_LIFETIMES)
		return false;
	lifetimes *l = lifetimes_of(s);
	if (l == NULL && (l = make_for(s)) == NULL) {
		count(COUNT_LOST_LIFETIME);
		return false;
	}
	for (int m = 0; m < site_measures(s); m++)
		tally_add(&l[m][class], parity, w.of[m]);
	return true;
}

uint64_t lifetimes_sum(const struct site *s, enum measure m)
{
	const lifetimes *l = lifetimes_of(s);
	uint64_t sum = 0;
	for (int i = 0; l != NULL && i < REGION_LIFETIMES; i++)
		sum += tally_now(&l[m][i]);
	return sum;
}

void lifetimes_settle(struct site *s, uint32_t parity)
{
	lifetimes *l = lifetimes_of(s);
	for (int m = 0; l != NULL && m < site_measures(s); m++)
		for (int i = 0; i < REGION_LIFETIMES; i++)
			tally_settle(&l[m][i], parity);
}
