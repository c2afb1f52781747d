// Blocks of devices, as the hooks record them, against lists of the threads that have them.
#include <pthread.h>

#include "../../device.h"
#include "totals.h"

#define THREADS 4
#define ROUNDS (20000 / SCALE)
#define BLOCKS 400

struct worker {
	uint64_t number, random;
	uint64_t owners[BLOCKS]; // of the block with this number; 0 for none
	bool mapped[BLOCKS];     // whether memory is mapped at the place with this number
	uint64_t given, held;
};

static uint32_t draw(struct worker *w, uint32_t n)
{
	w->random = w->random * 6364136223846793005ULL + 1442695040888963407ULL;
	return (uint32_t)(w->random >> 33) % n;
}

static uint64_t key_of(const struct worker *w, uint32_t i)
{
	return (w->number << 32 | i) * 4096 + 0x7f0000000000;
}

static uint64_t owner_of(const struct worker *w, uint32_t i)
{
	return w->number * 16 + 1000 + i;
}

static void end_owner(struct worker *w)
{
	uint64_t owner = owner_of(w, draw(w, 4));
	bool fails = draw(w, 2) == 0;
	device_ended(device_end_owned(owner, 0), fails);
	for (int i = 0; i < BLOCKS && !fails; i++)
		if (w->owners[i] == owner)
			w->owners[i] = 0, w->held--;
}

#define PLACE 65536

static uint64_t place_of(const struct worker *w, uint32_t i)
{
	return w->number << 40 | (uint64_t)i * PLACE;
}

// The mapping alone holds the memory.
static void map(struct worker *w, const struct registers *caller, uint32_t i)
{
	struct device_taking taking;
	uint64_t handle = device_key(DEVICE_HANDLE, w->number << 32 | i);
	device_hold(handle);
	device_give(caller, &(struct device_block){handle, 100, DEVICE_MEMORY, 1, 0});
	device_map(handle, place_of(w, i), PLACE);
	device_release(handle, &taking);
	device_released(handle, &taking, false);
	w->mapped[i] = true;
	w->given++, w->held++;
}

// Unmaps some places, of which not all need be mapped.
static void unmap(struct worker *w, uint32_t from)
{
	uint32_t to = from + 1 + draw(w, 8);
	bool fails = draw(w, 2) == 0;
	to = to < BLOCKS ? to : BLOCKS;
	uint64_t size = (uint64_t)(to - from) * PLACE;
	device_unmapped(place_of(w, from), size, device_unmap(place_of(w, from), size), fails);
	for (uint32_t i = from; i < to && !fails; i++) {
		w->held -= w->mapped[i];
		w->mapped[i] = false;
	}
}

static void step(struct worker *w, const struct registers *caller)
{
	uint32_t i = draw(w, BLOCKS);
	struct device_taking taking;
	if (draw(w, 4) == 0) {
		if (w->mapped[i])
			unmap(w, i);
		else
			map(w, caller, i);
	} else if (draw(w, 500) == 0) {
		end_owner(w);
	} else if (w->owners[i] == 0) {
		w->owners[i] = owner_of(w, draw(w, 4));
		device_give(caller, &(struct device_block){key_of(w, i), 100, DEVICE_MEMORY, 1, w->owners[i]});
		w->given++, w->held++;
	} else {
		bool fails = draw(w, 4) == 0;
		device_take(key_of(w, i), &taking);
		device_taken(&taking, fails);
		if (!fails)
			w->owners[i] = 0, w->held--;
	}
}

static __attribute__((noinline)) void *work(void *worker)
{
	struct registers caller = CALLER_REGISTERS();
	for (int i = 0; i < ROUNDS; i++)
		step(worker, &caller);
	return NULL;
}

static void by_threads(void)
{
	static struct worker workers[THREADS];
	pthread_t threads[THREADS];
	uint64_t given = 0, held = 0;
	start(1ULL << 40);
	for (uint64_t i = 0; i < THREADS; i++) {
		workers[i] = (struct worker){.number = i + 1, .random = i};
		check(pthread_create(&threads[i], NULL, work, &workers[i]) == 0);
	}
	for (int i = 0; i < THREADS; i++) {
		check(pthread_join(threads[i], NULL) == 0);
		given += workers[i].given;
		held += workers[i].held;
	}
	check(held > 0);
	expect(given, given * 100, held, held * 100);
	check(cgoheap_counted(COUNT_LOST_DEVICE) == 0 && cgoheap_counted(COUNT_UNSEEN) == 0);
	device_drop(0, 0);
	expect(given, given * 100, 0, 0);
	check(cgoheap_stop());
}

int main(void)
{
	run("blocks that threads give, take, map, unmap and end by their owners", by_threads);
	return 0;
}
