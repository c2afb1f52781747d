// Stacks that share their outer frames: how much memory they take, and that different stacks stay different.
#include <string.h>

#include "../../gate.h"
#include "../../hash.h"
#include "../../layout.h"
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

static void open_for(uint64_t sample_bytes)
{
	if (cgoheap_region != NULL)
		region_close();
	check(layout_open(NULL, 64 << 20, sample_bytes) == 0);
}

static void begin(void)
{
	open_for(512 << 10);
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
		check(site_intern(stacks[way], 100, 0, 0) != 0);
	uint64_t after = used();
	check(after - before <= 144 * WAYS);
	for (uint32_t way = 0; way < WAYS; way++)
		check(site_intern(stacks[way], 100, 0, 0) != 0);
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
		k.frames[i] = 1 + draw(2 + i % 3); // the same frame at many depths
	k.ref = stack_intern(k.frames, k.depth, stack_root(k.end));
	return k;
}

static bool same(const struct known *a, const struct known *b)
{
	return a->depth == b->depth && a->end == b->end && memcmp(a->frames, b->frames, a->depth * sizeof *a->frames) == 0;
}

// The slow road: each stack is compared with all others.
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

// Stacks of one frame each, in trunks whose hashes are the same in one half.
static void agree_in_one_half(int half, uint32_t stacks)
{
	uint64_t frame = 7;
	static uint32_t refs[1 << 14];
	begin();
	for (uint32_t i = 0; i < stacks; i++) {
		struct trunk trunk = stack_root(0);
		trunk.hash.of[1 - half] += i;
		refs[i] = stack_intern(&frame, 1, trunk);
		check(refs[i] != 0 && cgoheap_counted(COUNT_STACKS) == i + 1);
	}
	for (uint32_t i = 0; i < stacks; i++) {
		struct trunk trunk = stack_root(0);
		trunk.hash.of[1 - half] += i;
		check(stack_intern(&frame, 1, trunk) == refs[i]);
	}
}

// The first half of the hash selects the trie: stacks that agree in it share one, and so do others if there are more
// stacks than heads.
static void halves(void)
{
	agree_in_one_half(0, 100);
	check(cgoheap_region->heads < 1 << 14);
	agree_in_one_half(1, 1 << 14);
}

static void heads(void)
{
	open_for(512 << 10);
	uint64_t few = cgoheap_region->heads;
	open_for(1);
	check(cgoheap_region->heads == 4 * few);
}

enum { OWN = 16, SIZES = 3 * OWN }; // sizes that a stack keeps apart, and all sizes of each stack in the test

// The slow road: the first sixteen sizes have sites of their own, the others share one.
static void sizes_of(uint32_t stack)
{
	uint64_t size[SIZES];
	uint32_t site[SIZES];
	for (int i = 0; i < SIZES; i++) {
		size[i] = (uint64_t)draw(1 << 20) << 8 | i;
		site[i] = site_intern(stack, size[i], 0, 0);
		check(((const struct site *)region_ref(site[i]))->size == (i < OWN ? size[i] : SITE_MIXED));
		check(i <= OWN || site[i] == site[OWN]);
		check((((const struct stack *)region_ref(stack))->table != 0) == (i >= OWN));
	}
	for (int i = SIZES; i-- > 0;)
		check(site_intern(stack, size[i], 0, 0) == site[i]);
}

static void sizes(void)
{
	begin();
	for (uint32_t way = 0; way < 1024; way++)
		sizes_of(intern_way(way));
	check(cgoheap_counted(COUNT_SITES) == 1024 * (OWN + 1));
}

// As if a thread were stopped before it has linked a size that it has counted: a table made now would lack that size for ever.
static void a_size_that_is_not_linked_yet(void)
{
	begin();
	uint32_t stack = intern_way(0);
	struct stack *s = region_ref(stack);
	for (uint64_t i = 0; i < OWN - 1; i++)
		site_intern(stack, 100 + i, 0, 0);
	s->sizes = OWN;
	uint32_t mixed = site_intern(stack, 1000, 0, 0);
	check(((const struct site *)region_ref(mixed))->size == SITE_MIXED && s->table == 0);
	s->sizes = OWN - 1; // the thread goes on
	uint32_t own = site_intern(stack, 1000, 0, 0);
	check(own != mixed && site_intern(stack, 1000, 0, 0) == own);
}

static uint64_t inverse(uint64_t odd)
{
	uint64_t x = odd;
	for (int i = 0; i < 5; i++)
		x *= 2 - odd * x;
	return x;
}

// The size whose site has this hash; see hash_of in sites.c.
static uint64_t size_of(uint64_t hash)
{
	uint64_t x = hash ^ hash >> 33;
	x *= inverse(0xc4ceb9fe1a85ec53ULL);
	x = (x ^ x >> 33) * inverse(0xff51afd7ed558ccdULL);
	return (x ^ x >> 33) * inverse(0x9e3779b97f4a7c15ULL);
}

// One bit of the hashes differs, which neither the stack's bits nor the table's tags show.
static void nearly_equal_sizes(void)
{
	begin();
	uint32_t stack = intern_way(0), mixed = 0;
	for (uint64_t i = 0; i <= OWN; i++)
		mixed = site_intern(stack, size_of(mix64(i)), 0, 0);
	for (uint64_t i = 0; i < OWN; i++)
		check(site_intern(stack, size_of(mix64(i) ^ 1ULL << 47), 0, 0) == mixed);
}

int main(void)
{
	run("where everything is recorded, there are four times as many heads", heads);
	run("stacks that share all frames but two take 96 bytes each at most, and nothing the second time", capacity_of_stacks);
	run("a site takes 144 bytes at most, and nothing the second time", capacity_of_sites);
	run("stacks are one if their frames and their ends are the same", identity);
	run("stacks whose hashes agree in one half only are two", halves);
	run("a stack keeps sixteen sizes apart and finds them again", sizes);
	run("a stack gets no table while one of its sizes is not linked", a_size_that_is_not_linked_yet);
	run("sizes whose hashes nearly agree are two", nearly_equal_sizes);
}
