// The hooks for operator new and delete, in front of libstdc++'s, of an allocator's, of a pool's, of a program's own, and
// in a program that contains libstdc++, alone or with an allocator preloaded that has its own: each block is counted once,
// where it is taken from the allocator.
#include <string.h>

#include "../../memory.h"
#include "operators.h"
#include "paint.h"
#include "totals.h"

// Whose operators the program has.
static const char *kind;

static int is_kind(const char *name)
{
	return strcmp(kind, name) == 0;
}

static void all_pairs(void)
{
	for (int i = 0; i < PAIRS; i++) {
		start(1);
		char *p = pairs[i].make(768);
		expect(1, 768, 1, 768);
		check((uintptr_t)p % pairs[i].alignment == 0);
		memset(p, 1, 768);
		pairs[i].drop(p, 768);
		expect(1, 768, 0, 0);
		pairs[i].drop(NULL, 768);
		expect(1, 768, 0, 0);
		check(cgoheap_stop());
	}
}

static void sampled(void)
{
	start(1 << 20);
	for (int i = 0; i < PAIRS; i++)
		for (int j = 0; j < 1000; j++)
			pairs[i].drop(pairs[i].make(768), 768);
	check(totals().live == 0);
	check(cgoheap_stop());
}

static void around(void)
{
	for (int i = 0; i < PAIRS; i++) {
		void *before = pairs[i].make(768);
		start(1);
		pairs[i].drop(before, 768);
		void *during = pairs[i].make(768);
		expect(1, 768, 1, 768);
		check(cgoheap_stop());
		pairs[i].drop(during, 768);
	}
}

static const struct pair *measured;
static void *made;

static void call_make(void)
{
	made = measured->make(768);
}

static void call_drop(void)
{
	measured->drop(made, 768);
}

static void little_stack(void)
{
	start(1);
	deepest = 0;
	for (int i = 0; i < 2 * PAIRS; i++) {
		measured = &pairs[i % PAIRS];
		measure(measured->name, call_make);
		measure(measured->name, call_drop);
	}
	expect(2 * PAIRS, 2 * PAIRS * 768, 0, 0);
	printf("# %zu bytes of stack, in %s\n", deepest, deepest_in);
	check(deepest <= HOOK_STACK);
	check(cgoheap_stop());
}

static void no_size(void)
{
	start(1);
	for (int i = 0; i < PAIRS; i++) {
		void *p = pairs[i].make(0), *q = pairs[i].make(0);
		check(p != NULL && q != NULL && p != q);
		pairs[i].drop(p, 0);
		pairs[i].drop(q, 0);
	}
	check(totals().live == 0);
	check(cgoheap_stop());
}

// The memory of an exception comes from malloc too, and is freed.
static void no_memory(void)
{
	for (int i = 0; i < PAIRS; i++) {
		start(1);
		check(throws(&pairs[i], SIZE_MAX / 4) == !pairs[i].nothrow);
		check(handled(&pairs[i], SIZE_MAX / 4) == 1);
		check(totals().live == 0);
		void *p = pairs[i].make(768);
		check(totals().live == 1 && totals().live_bytes == 768);
		pairs[i].drop(p, 768);
		check(cgoheap_stop());
		check(throws(&pairs[i], SIZE_MAX / 4) == !pairs[i].nothrow);
	}
}

static void own(void)
{
	int news = own_news, deletes = own_deletes;
	for (int i = 0; i < PAIRS; i++)
		pairs[i].drop(pairs[i].make(768), 768);
	check(own_news - news == PAIRS && own_deletes - deletes == PAIRS);
}

// The first piece has the chunk's address, but deleting it does not free the chunk.
static void chunk(void)
{
	start(1);
	void *p = pairs[0].make(768), *q = pairs[0].make(768);
	expect(1, 1 << 16, 1, 1 << 16);
	pairs[0].drop(p, 768);
	pairs[0].drop(q, 768);
	expect(1, 1 << 16, 1, 1 << 16);
	check(cgoheap_stop());
}

int main(int argc, char **argv)
{
	kind = argc > 1 ? argv[1] : "library";
	if (is_kind("pool")) {
		run("a pool's chunk is counted, not what it hands out", chunk);
		return 0;
	}
	run("each pair of new and delete counts a block once", all_pairs);
	run("blocks that are not sampled pass", sampled);
	run("blocks from before a recording, and after it", around);
	run("new and delete take as little of the stack as malloc", little_stack);
	run("blocks of no size differ", no_size);
	run("without memory, the handler is called, and then bad_alloc thrown through the hook", no_memory);
	if (&own_news != NULL && !is_kind("preloaded"))
		run("operators of the allocator's or the program's own are called", own);
	return 0;
}
