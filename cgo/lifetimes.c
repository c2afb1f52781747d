//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

// The class of a site's first free becomes the site's own: blocks freed in it are counted in the site. The blocks of
// most sites all live about as long. For each other class a site gets a record when it first needs one.

#include "lifetimes.h"

#include "clock.h"

#define SECOND 1000000000ULL

const uint64_t cgoheap_lifetimes[REGION_LIFETIMES] = {
	SECOND / 10, SECOND, 10 * SECOND, 60 * SECOND, 600 * SECOND, 3600 * SECOND,
};

uint32_t lifetime_class(uint64_t ticks)
{
	uint32_t class = 0;
	while (class < REGION_LIFETIMES && ticks > cgoheap_lifetimes[class] >> CLOCK_TICK_BITS)
		class++;
	return class;
}

static bool is_own(struct site *s, uint32_t class)
{
	uint8_t wanted = class + 1, own = __atomic_load_n(&s->class, __ATOMIC_RELAXED);
	if (own == 0 && __atomic_compare_exchange_n(&s->class, &own, wanted, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		return true;
	return own == wanted;
}

static uint32_t make(const struct site *s, uint32_t class)
{
	uint64_t at = region_reserve(sizeof(struct lifetime) + site_measures(s) * sizeof(struct tally));
	if (at != 0)
		((struct lifetime *)region_at(at))->class = class;
	return at / 16;
}

// Returns the record of a class that is not the site's own; makes it if needed. NULL when the region is full. If two
// threads make it at once, one finds the other's record linked, and its own stays unused.
static struct lifetime *record_of(struct site *s, uint32_t class)
{
	uint32_t *at = &s->lifetimes, made = 0;
	for (;;) {
		uint32_t ref = __atomic_load_n(at, __ATOMIC_ACQUIRE);
		if (ref == 0 && made == 0 && (made = make(s, class)) == 0)
			return NULL;
		if (ref == 0 && __atomic_compare_exchange_n(at, &ref, made, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			ref = made;
		struct lifetime *l = region_ref(ref);
		if (l->class == class)
			return l;
		at = &l->next;
	}
}

// Called when there is no room to keep a class separate from the site's own. From now on the site keeps neither.
static void give_up(struct site *s)
{
	uint8_t own = __atomic_exchange_n(&s->class, REGION_LIFETIMES + 1, __ATOMIC_RELAXED);
	uint64_t lost = own == REGION_LIFETIMES + 1 ? 0 : tally_now(&s->flow[OBJECTS].freed) >> 16;
	__atomic_fetch_add(&cgoheap_region->counters[COUNT_LOST_LIFETIME], lost + 1, __ATOMIC_RELAXED);
}

void lifetimes_add(struct site *s, uint32_t parity, uint32_t class, struct weight w)
{
	struct lifetime *l = NULL;
	if (!is_own(s, class) && (l = record_of(s, class)) == NULL)
		give_up(s);
	for (int m = 0; m < site_measures(s); m++)
		tally_add(l == NULL ? &s->flow[m].freed : &l->freed[m], parity, w.of[m]);
}

static struct lifetime *next_of(const uint32_t *at)
{
	uint32_t ref = __atomic_load_n(at, __ATOMIC_ACQUIRE);
	return ref == 0 ? NULL : region_ref(ref);
}

uint64_t lifetimes_sum(const struct site *s, enum measure m)
{
	uint64_t sum = tally_now(&s->flow[m].freed);
	for (struct lifetime *l = next_of(&s->lifetimes); l != NULL; l = next_of(&l->next))
		sum += tally_now(&l->freed[m]);
	return sum;
}

void lifetimes_settle(struct site *s, uint32_t parity)
{
	for (int m = 0; m < site_measures(s); m++)
		tally_settle(&s->flow[m].freed, parity);
	for (struct lifetime *l = next_of(&s->lifetimes); l != NULL; l = next_of(&l->next))
		for (int m = 0; m < site_measures(s); m++)
			tally_settle(&l->freed[m], parity);
}
