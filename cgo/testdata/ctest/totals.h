// What a recording at a gap of 1 has counted, over all sites.
#ifndef TOTALS_H
#define TOTALS_H

#include "../../control.h"
#include "../../gate.h"
#include "../../record.h"
#include "check.h"
#include "sums.h"

struct totals {
	uint64_t allocs, alloc_bytes, live, live_bytes;
};

static struct totals totals(void)
{
	struct totals t = {0};
	check(gate_settle());
	uint32_t *heads = region_at(cgoheap_region->site_heads);
	for (uint64_t i = 0; i < cgoheap_region->heads; i++) {
		for (uint32_t ref = __atomic_load_n(&heads[i], __ATOMIC_ACQUIRE); ref != 0; ref = ((struct site *)region_ref(ref))->next) {
			struct sums s = sums_of(region_ref(ref));
			t.allocs += s.allocated.of[OBJECTS] >> 16;
			t.alloc_bytes += s.allocated.of[BYTES] >> 4;
			t.live += s.in_use.of[OBJECTS] >> 16;
			t.live_bytes += s.in_use.of[BYTES] >> 4;
		}
	}
	return t;
}

static void start(uint64_t sample_bytes)
{
	struct options o = {.table_bytes = 64 << 20, .sample_bytes = sample_bytes, .seed = 1, .max_depth = 64};
	check(cgoheap_prepare(&o) == 0);
	cgoheap_start();
}

static void expect(uint64_t allocs, uint64_t alloc_bytes, uint64_t live, uint64_t live_bytes)
{
	struct totals t = totals();
	check(t.allocs == allocs && t.alloc_bytes == alloc_bytes && t.live == live && t.live_bytes == live_bytes);
}

#endif
