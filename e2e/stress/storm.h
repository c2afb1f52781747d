/* The storm's C: workers that allocate at sites, and count there what they do. */
#ifndef STRESS_STORM_H
#define STRESS_STORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { STRESS_SITES = 128, STRESS_SIZES = 4, STRESS_WAYS = 5, STRESS_LIVE = 4096 };

struct flow {
	uint64_t objects, bytes;
};

/* The work at a site, by its own workers: counted before a call to the allocator and again after it, so that a
   profile's values for any moment lie between the two. Frees count for the recording that the block was allocated in. */
struct done {
	struct flow begun, allocated, freeing, freed;
};

/* A site is a way to allocate, reached through one entrance. Its blocks have sizes of its own. */
struct site {
	int way;
	uint32_t sizes[STRESS_SIZES];
	struct done done;
};
extern struct site stress_sites[STRESS_SITES];

/* The name of the function that allocates in this way; NULL if there is none with this number. */
const char *stress_way(int way);

/* Reads the work at the site until now. */
void stress_read(uint32_t site, struct done *d);

/* Recordings are numbered. Blocks that an earlier one saw are freed without being counted. */
void stress_begin(uint32_t recording);

/* Workers end soon after the end was set, and only then. */
void stress_set_end(int end);

/* Allocates a block at the site, leaves it for any other worker to free, and frees one that another left. */
void stress_visit(uint32_t site);

/* Frees all blocks that were left. */
void stress_free_all(void);

/* How often something happened, by kind; FAILURES must not happen. */
enum event { SHORT_THREADS, FORKS, SPAWNS, SIGNALS, LIBRARIES, MOVES, FAILURES, EVENTS };
uint64_t stress_events(enum event e);

/* Workers. Each allocates at sites in all ways, from the given site on, until the end. */
void stress_threads(uint32_t site);                           /* one thread, for long */
void stress_short_threads(uint32_t site);                     /* many, one after the other */
void stress_threads_call_go(uint32_t site);                   /* many, which call stressNested */
void stress_signals(uint32_t site, int alternate);             /* a thread, from a handler, on a stack of its own or not */
void stress_forks(uint32_t site);
void stress_spawns(void);
void stress_libraries(uint32_t site, const char *a, const char *b); /* sites of one way each, for a and for b */

/* Workers in code without unwind data, each beside a page that the mover maps, protects and unmaps. The rooms for them
   are made once, by a call from Go. */
bool stress_make_rooms(void);
void stress_move_pages(void);

/* Loses 512 blocks of a size, and keeps as many in a table. */
void stress_lose(size_t size);
void stress_pages_by_thread(uint32_t site);
void stress_pages_by_handler(uint32_t site);
void stress_pages_by_fiber(uint32_t site);
void stress_pages_by_goroutine(uint32_t site); /* for a while */

/* Allocates on very many stacks in very many sizes, and keeps more blocks than small tables can, until the end; then
   frees them. stress_crowded returns how many blocks it has allocated. */
void stress_crowd(void);
uint64_t stress_crowded(void);

/* Pairs of free and malloc, of 16 to 512 bytes, with STRESS_LIVE blocks always kept: adds what was allocated, and
   stores the CPU time that it took. stress_end_pairs frees the kept blocks. One caller at a time. */
void stress_pairs(uint64_t count, struct flow *allocated, uint64_t *nanoseconds);
void stress_end_pairs(void);

/* Calls stressNested(site, depth). */
void stress_call_go(uint32_t site, int depth);

/* Visits the site, calls stressGrow, and visits the site again, from one and the same frame. */
void stress_around_go(uint32_t site);

#endif
