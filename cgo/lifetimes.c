//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

#include "lifetimes.h"

#include "clock.h"
#include "sites.h"

#define SECOND 1000000000ULL

const uint64_t cgoheap_lifetimes[REGION_LIFETIMES] = {
	SECOND / 10, SECOND, 10 * SECOND, 60 * SECOND, 600 * SECOND, 3600 * SECOND,
};

static int class_of(uint32_t ticks)
{
	int class = 0;
	while (class < REGION_LIFETIMES && (uint64_t)ticks << CLOCK_TICK_BITS > cgoheap_lifetimes[class])
		class++;
	return class;
}

// The site's lifetimes, made at its first free. Two threads that make them at once reserve them twice, and one of the
// two places stays unused. NULL when the region is full.
static struct lifetimes *lifetimes_of(struct site *s)
{
	uint32_t ref = __atomic_load_n(&s->lifetimes, __ATOMIC_ACQUIRE);
	if (ref == 0) {
		uint32_t made = region_reserve(sizeof(struct lifetimes)) / 16;
		if (made == 0)
			return NULL;
		if (__atomic_compare_exchange_n(&s->lifetimes, &ref, made, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			ref = made;
	}
	return region_ref(ref);
}

void lifetime_add(struct site *s, uint32_t parity, uint32_t ticks, struct weight w)
{
	int class = class_of(ticks);
	if (class == REGION_LIFETIMES)
		return;
	struct lifetimes *l = lifetimes_of(s);
	if (l == NULL) {
		count(COUNT_LOST_LIFETIME);
		return;
	}
	__atomic_fetch_add(&l->delta[parity][class].objects, w.objects, __ATOMIC_RELAXED);
	__atomic_fetch_add(&l->delta[parity][class].bytes, w.bytes, __ATOMIC_RELAXED);
}

void lifetimes_fold(struct site *s, uint32_t parity)
{
	uint32_t ref = __atomic_load_n(&s->lifetimes, __ATOMIC_ACQUIRE);
	if (ref == 0)
		return;
	struct lifetimes *l = region_ref(ref);
	for (int i = 0; i < REGION_LIFETIMES; i++) {
		delta_move(&l->base[i].objects, &l->delta[parity][i].objects);
		delta_move(&l->base[i].bytes, &l->delta[parity][i].bytes);
	}
}
