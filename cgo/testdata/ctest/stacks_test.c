// Stacks that share their outer frames: what they take, and that each is itself.
#include <string.h>

#include "../../sites.h"
#include "../../stacks.h"
#include "check.h"

enum { DEPTH = 28, WAYS = 4096, MOST = 3000 / SCALE };

static uint64_t random_state;

static uint32_t draw(uint32_t below)
{
	random_state = random_state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (uint32_t)(random_state >> 33) % below;
}

static void begin(void)
{
	if (cgoheap_region != NULL)
		region_close();
	check(region_open(64 << 20, 1) == 0);
	random_state = 1;
}

static uint64_t used(void)
{
	return cgoheap_region->used;
}

// All stacks have the outer frames; the two at the leaf differ, and a few more callers.
static uint32_t intern_way(uint32_t way)
{
	uint64_t frames[DEPTH];
	for (int i = 0; i < DEPTH; i++)
		frames[i] = 1000 + i;
	frames[0] = 2000 + way % 64;
	frames[1] = 3000 + way / 64;
	return stack_intern(frames, DEPTH, stack_root(0));
}

// A stack of 28 frames takes less than half of what its frames alone would.
static void capacity_of_stacks(void)
{
	begin();
	uint64_t before = used();
	for (uint32_t way = 0; way < WAYS; way++)
		check(intern_way(way) != 0);
	uint64_t after = used();
	check(after - before <= 96 * WAYS);
	for (uint32_t way = 0; way < WAYS; way++)
		intern_way(way);
	check(used() == after);
}

static void capacity_of_sites(void)
{
	static uint32_t stacks[WAYS];
	begin();
	for (uint32_t way = 0; way < WAYS; way++)
		stacks[way] = intern_way(way);
	uint64_t before = used();
	for (uint32_t way = 0; way < WAYS; way++)
		check(site_intern(stacks[way], 100, 0, (struct visitor){0, 0}) != 0);
	uint64_t after = used();
	check(after - before <= 144 * WAYS);
	for (uint32_t way = 0; way < WAYS; way++)
		check(site_intern(stacks[way], 100, 0, (struct visitor){0, 0}) != 0);
	check(used() == after);
}

struct known {
	uint64_t frames[12];
	uint32_t depth, end, ref;
};

static struct known draw_stack(void)
{
	struct known k = {.depth = 1 + draw(12), .end = draw(3)};
	for (uint32_t i = 0; i < k.depth; i++)
		k.frames[i] = 1 + draw(2 + i % 3); // the same frame in many places
	k.ref = stack_intern(k.frames, k.depth, stack_root(k.end));
	return k;
}

static bool same(const struct known *a, const struct known *b)
{
	return a->depth == b->depth && a->end == b->end && memcmp(a->frames, b->frames, a->depth * sizeof *a->frames) == 0;
}

// The slow road: each is compared with all others.
static void identity(void)
{
	static struct known all[MOST];
	uint32_t different = 0;
	begin();
	for (uint32_t n = 0; n < MOST; n++) {
		bool met = false;
		all[n] = draw_stack();
		check(all[n].ref != 0);
		for (uint32_t i = 0; i < n; i++) {
			check((all[i].ref == all[n].ref) == same(&all[i], &all[n]));
			met |= all[i].ref == all[n].ref;
		}
		different += !met;
	}
	check(different > MOST / 4 && different < MOST && cgoheap_counted(COUNT_STACKS) == different);
}

int main(void)
{
	run("stacks that share all frames but two take 96 bytes each at most, and nothing the second time", capacity_of_stacks);
	run("a site takes 144 bytes at most, and nothing the second time", capacity_of_sites);
	run("stacks are one if their frames and their ends are the same", identity);
}
