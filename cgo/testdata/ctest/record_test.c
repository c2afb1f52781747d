// When an allocation is sampled; and a realloc whose two halves meet a gate that is full: the block that it forgot is gone from the
// table, and must not be from the counters.
#include <string.h>

#include "../../labels.h"
#include "../../peak.h"
#include "totals.h"

static char memory[2][256];

static struct pass passes[GATE_SLOTS];

static void fill_gate(void)
{
	for (int i = 0; i < GATE_SLOTS; i++)
		check(gate_enter(&passes[i], cgoheap_generation));
}

static void empty_gate(void)
{
	for (int i = 0; i < GATE_SLOTS; i++)
		gate_leave(passes[i]);
}

static __attribute__((noinline)) struct allocation block(int i)
{
	static struct registers caller;
	caller = CALLER_REGISTERS();
	return (struct allocation){memory[i], sizeof memory[i], record_count_down(sizeof memory[i]), &caller};
}

static void remember(int i)
{
	struct allocation a = block(i);
	check(a.interval == 1);
	record_block(&a);
}

static void expect_lost(uint64_t frees, uint64_t in_use)
{
	check(cgoheap_counted(COUNT_FREES_LOST) == frees && cgoheap_counted(COUNT_FREED_IN_USE) == in_use);
}

static void moves(void)
{
	struct forgotten old;
	start(1);
	remember(0);
	record_forget(memory[0], &old);
	check(old.found);
	struct allocation a = block(1);
	fill_gate();
	record_move(&old, &a);
	empty_gate();
	expect(1, sizeof memory[0], 1, sizeof memory[0]); // the first appears in use, and the second is lost
	expect_lost(1, 1);
	check(cgoheap_stop());
}

static void fails(void)
{
	struct forgotten old;
	start(1);
	remember(0);
	record_forget(memory[0], &old);
	fill_gate();
	record_restore(memory[0], &old);
	empty_gate();
	record_free(memory[0]); // is not noticed
	expect(1, sizeof memory[0], 1, sizeof memory[0]);
	expect_lost(1, 1);
	check(cgoheap_stop());
}

// Where the first half is lost already, the second knows whether that was a free.
static void forgets(void)
{
	struct forgotten old;
	start(1);
	remember(0);
	fill_gate();
	record_forget(memory[0], &old);
	check(!old.found && old.lost);
	expect_lost(1, 1);
	record_restore(memory[0], &old);
	expect_lost(0, 0);
	empty_gate();
	record_free(memory[0]);
	expect(1, sizeof memory[0], 0, 0);
	check(cgoheap_stop());
}

// weigh knows that an allocation has one chance more than it has bytes: one of 0 bytes can be sampled too.
static void counts_down(void)
{
	start(1000);
	check(record_join());
	cgoheap_thread.countdown = 1000;
	for (int i = 0; i < 10; i++)
		check(record_count_down(99) == 0 && cgoheap_thread.countdown == 900 - 100 * (uint64_t)i);
	check(record_count_down(0) == 1000);
	cgoheap_thread.countdown = 1;
	check(record_count_down(0) == 0 && record_count_down(0) == 1000);
	check(cgoheap_stop());
}

// Where blocks of a kind lie, and what the totals then have: the host's, with its peak, and the devices'.
static void kinds(void)
{
	static const struct {
		const char *kind;
		enum site_device at;
	} cases[] = {
		{"cuda", SITE_ON_DEVICE}, {"cuda managed", SITE_ON_DEVICE}, {"cuda pinned", SITE_PINNED}, {"hip", SITE_ON_DEVICE}, {"hip pinned", SITE_PINNED},
		{"cuda pinned too", SITE_ON_DEVICE}, {"cuda pinne", SITE_ON_DEVICE}, {"cud", SITE_ON_HOST}, {"cudart", SITE_ON_HOST}, {"", SITE_ON_HOST},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		start(1);
		cgoheap_labels.of_thread = LABEL_KIND;
		char *text = strndup(cases[i].kind, strlen(cases[i].kind));
		struct allocation a = block(0);
		record_reported(&a, &(struct kind){text, strlen(text), 0, 0});
		free(text);
		struct forgotten b;
		record_forget(memory[0], &b);
		check(b.found && ((struct site *)region_ref(b.block.site))->device == cases[i].at);
		record_restore(memory[0], &b);
		uint64_t size = sizeof memory[0] << 4, on_device = cases[i].at == SITE_ON_DEVICE ? size : 0, pinned = cases[i].at == SITE_PINNED ? size : 0;
		check(cgoheap_region->device_in_use == on_device && cgoheap_region->pinned_in_use == pinned && peak_total() == size - on_device);
		remember(1);
		check(cgoheap_region->device_in_use == on_device && cgoheap_region->pinned_in_use == pinned && peak_total() == 2 * size - on_device);
		record_free(memory[0]);
		record_free(memory[1]);
		check(cgoheap_region->device_in_use == 0 && cgoheap_region->pinned_in_use == 0 && peak_total() == 0);
		check(cgoheap_stop());
	}
}

// What is registered has a key of its own, and is in no total: it is a block of malloc's already, or the program's. Other memory that is pinned
// is the host's, also if it has a handle, and if one function asks for all of it.
static void registered(void)
{
	start(1);
	cgoheap_labels.of_thread = LABEL_KIND;
	remember(0);
	struct allocation a = block(0);
	a.p = (char *)((uintptr_t)a.p | 1ULL << 62);
	record_reported(&a, &(struct kind){"cuda pinned", 11, 0, 0});
	check(peak_total() == sizeof memory[0] << 4 && cgoheap_region->device_in_use == 0);
	expect(2, 2 * sizeof memory[0], 2, 2 * sizeof memory[0]);
	struct allocation pinned = a;
	pinned.p = (char *)((uintptr_t)memory[0] | 1ULL << 60);
	record_reported(&pinned, &(struct kind){"cuda pinned", 11, 0, 0});
	check(peak_total() == 2 * sizeof memory[0] << 4);
	record_free(a.p);
	check(peak_total() == 2 * sizeof memory[0] << 4);
	record_reported(&a, &(struct kind){"cuda pinned", 11, 0, 0});
	record_free(pinned.p);
	check(peak_total() == sizeof memory[0] << 4);
	record_free(a.p);
	record_free(memory[0]);
	check(peak_total() == 0);
	check(cgoheap_stop());
}

int main(void)
{
	run("an allocation counts down by its bytes and one", counts_down);
	run("a block that moves while the gate is full counts as a free that was lost", moves);
	run("a block that stays, and cannot be put back, counts as one", fails);
	run("blocks of devices have a total of their own", kinds);
	run("what is registered with a driver counts once", registered);
	run("a block that stays, and was not forgotten, does not", forgets);
}
