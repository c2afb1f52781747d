// The totals of a recording at an interval of 1, over all sites.
#ifndef TOTALS_H
#define TOTALS_H

#include "../../control.h"
#include "../../gate.h"
#include "../../record.h"
#include "../../sites.h"
#include "check.h"
#include "sums.h"

struct totals {
	uint64_t allocs, alloc_bytes, live, live_bytes;
};

static inline void add_up(void *record, const void *argument)
{
	struct totals *t = *(struct totals *const *)argument;
	struct sums s = sums_of(record);
	t->allocs += s.allocated.of[OBJECTS] >> 16;
	t->alloc_bytes += s.allocated.of[BYTES] >> 4;
	t->live += s.in_use.of[OBJECTS] >> 16;
	t->live_bytes += s.in_use.of[BYTES] >> 4;
}

static inline struct totals totals(void)
{
	struct totals t = {0}, *to = &t;
	check(gate_settle());
	sites_each(add_up, &to);
	return t;
}

static inline void start(uint64_t sample_bytes)
{
	struct options o = {.table_bytes = 64 << 20, .sample_bytes = sample_bytes, .seed = 1, .max_depth = 64};
	check(cgoheap_prepare(&o) == 0);
	cgoheap_start();
}

static inline void expect(uint64_t allocs, uint64_t alloc_bytes, uint64_t live, uint64_t live_bytes)
{
	struct totals t = totals();
	check(t.allocs == allocs && t.alloc_bytes == alloc_bytes && t.live == live && t.live_bytes == live_bytes);
}

// A number of /proc/self/status: VmData counts against RLIMIT_DATA, VmSize against RLIMIT_AS.
static inline size_t status_bytes(const char *field)
{
	char line[256], name[32];
	size_t kib = 0;
	FILE *status = fopen("/proc/self/status", "r");
	check(status != NULL);
	while (fgets(line, sizeof line, status) != NULL && (sscanf(line, "%31[^:]: %zu kB", name, &kib) != 2 || strcmp(name, field) != 0))
		kib = 0;
	fclose(status);
	return kib << 10;
}

#endif
