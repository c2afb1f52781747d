/* Held by pointers that lie in memory mapped by the program itself; lost when that is unmapped. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "trial.h"

enum { SIZE = 1000 };

static APART void *kept_in_private(void) { return COUNTED(malloc(SIZE), SIZE); }
static APART void *kept_in_shared(void) { return COUNTED(malloc(SIZE), SIZE); }
static APART void *kept_in_file(void) { return COUNTED(malloc(SIZE), SIZE); }
static APART void *lost_with_mapping(void) { return COUNTED(malloc(SIZE), SIZE); }

static size_t room(void) { return trial_number(SIZE) * sizeof(void *) + 4096; }

static void **filled(int flags, int file, void *(*make)(void))
{
	void **arena = mmap(NULL, room(), PROT_READ | PROT_WRITE, flags, file, 0);
	if (arena == MAP_FAILED)
		abort();
	for (size_t i = 0; i < trial_number(SIZE); i++)
		arena[i] = make();
	return arena;
}

static void **volatile arena_private, **volatile arena_shared, **volatile arena_file;

void arenas(void)
{
	int file = memfd_create("arena", 0);
	if (file < 0 || ftruncate(file, (off_t)room()) != 0)
		abort();
	arena_private = filled(MAP_PRIVATE | MAP_ANONYMOUS, -1, kept_in_private);
	arena_shared = filled(MAP_SHARED | MAP_ANONYMOUS, -1, kept_in_shared);
	arena_file = filled(MAP_SHARED, file, kept_in_file);
	munmap(filled(MAP_PRIVATE | MAP_ANONYMOUS, -1, lost_with_mapping), room());
	trial_held("kept_in_private", "mapped by filled|shared memory");
	trial_held("kept_in_shared", "mapped by filled|shared memory");
	trial_held("kept_in_file", "mapped by filled|memfd:arena");
}
