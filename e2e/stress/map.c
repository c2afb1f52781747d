/* Workers that map, unmap, move and map over. What a call maps is of one file, at an offset that is the call's own, and the length
   that it asks for tells the same. So the kernel's list says of each page which call it is of, whoever moved or cut it since. */

#define _GNU_SOURCE
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <unistd.h>

#include "map.h"
#include "worker.h"

#define MOST 16   /* pages that a call maps */
#define ARENA 256 /* pages that a worker changes, or all of them */
#define LOOSE 8

struct mapper {
	char *arena;
	uint64_t code;
	char *loose[LOOSE]; /* wherever the kernel put them */
	size_t loose_pages[LOOSE];
	int shared;  /* a segment of shmget */
	char *attached;
};

static struct mapper mappers[STRESS_MAPPERS];
static char *const arenas = (char *)0x100000000000; /* where neither the kernel nor Go puts anything: there are holes */
static int file;

static size_t length_of(size_t pages, uint64_t code)
{
	return pages * STRESS_PAGE - code % STRESS_CODES;
}

static void *map_at(struct mapper *m, void *at, size_t pages)
{
	uint64_t code = m->code += STRESS_MAPPERS;
	return mmap(at, length_of(pages, code), PROT_READ, MAP_SHARED | (at != NULL ? MAP_FIXED : 0), file,
		    (off_t)(code * STRESS_SPAN * STRESS_PAGE));
}

static void map_fixed(struct mapper *m, size_t at, size_t pages)
{
	void *to = m->arena + at * STRESS_PAGE;
	stress_must(map_at(m, to, pages) == to, "mmap with MAP_FIXED");
}

static void map_loose(struct mapper *m, int i, size_t pages)
{
	if (m->loose[i] != NULL)
		stress_must(munmap(m->loose[i], m->loose_pages[i] * STRESS_PAGE) == 0, "munmap");
	m->loose[i] = map_at(m, NULL, pages);
	m->loose_pages[i] = pages;
	stress_must(m->loose[i] != MAP_FAILED, "mmap");
}

static void resize_loose(struct mapper *m, int i, size_t pages)
{
	if (m->loose[i] == NULL || m->loose_pages[i] == pages)
		return;
	void *p = mremap(m->loose[i], m->loose_pages[i] * STRESS_PAGE, pages * STRESS_PAGE, stress_random() % 2 ? MREMAP_MAYMOVE : 0);
	if (p == MAP_FAILED) /* there is no room behind it */
		return;
	m->loose[i] = p;
	m->loose_pages[i] = pages;
}

/* Of pages that others may have unmapped, the kernel may move none, or a part: then nobody knows what is where. */
static void move_fixed(struct mapper *m, bool together, size_t from, size_t to, size_t pages)
{
	char *old = m->arena + from * STRESS_PAGE, *new = m->arena + to * STRESS_PAGE;
	if (!together)
		map_fixed(m, from, pages);
	if (mremap(old, pages * STRESS_PAGE, pages * STRESS_PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, new) != MAP_FAILED)
		return;
	munmap(old, pages * STRESS_PAGE);
	munmap(new, pages * STRESS_PAGE);
}

static void attach(struct mapper *m)
{
	if (m->shared < 0) /* none in this container */
		return;
	if (m->attached != NULL)
		stress_must(shmdt(m->attached) == 0, "shmdt");
	m->attached = m->attached != NULL ? NULL : shmat(m->shared, NULL, 0);
	stress_must(m->attached != (char *)-1, "shmat");
}

/* A child's calls are not the parent's. */
static void fork_one(struct mapper *m)
{
	int status = 1;
	pid_t child = fork();
	if (child == 0) {
		map_at(m, m->arena, MOST);
		munmap(m->arena, ARENA * STRESS_PAGE);
		_exit(0);
	}
	stress_must(child > 0 && waitpid(child, &status, 0) == child && status == 0, "a child that maps");
}

static void step(struct mapper *m, bool together)
{
	size_t pages = 1 + stress_random() % MOST, at = stress_random() % (ARENA - 2 * MOST);
	int i = stress_random() % LOOSE;
	switch (stress_random() % 16) {
	case 0 ... 4:
		return map_fixed(m, at, pages);
	case 5 ... 7:
		return stress_must(munmap(m->arena + at * STRESS_PAGE, pages * STRESS_PAGE) == 0, "munmap");
	case 8 ... 10:
		return map_loose(m, i, pages);
	case 11:
		return resize_loose(m, i, pages);
	case 12:
		return move_fixed(m, together, at, stress_random() % (ARENA - 2 * MOST), pages);
	case 13:
		return stress_must(munmap(m->arena + 1, STRESS_PAGE) == -1 && errno == EINVAL, "munmap fails");
	case 14:
		return attach(m);
	default:
		if (stress_random() % 500 == 0)
			fork_one(m);
	}
}

void stress_map(int worker, bool together, int steps)
{
	struct mapper *m = &mappers[worker];
	m->arena = arenas + (together ? 0 : (size_t)worker * ARENA * STRESS_PAGE);
	while (steps-- > 0)
		step(m, together);
}

int stress_begin_maps(void)
{
	file = memfd_create("storm", MFD_CLOEXEC);
	void *room = mmap(arenas, STRESS_MAPPERS * ARENA * STRESS_PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (file < 0 || ftruncate(file, (off_t)1 << 46) != 0 || room != arenas)
		return -1;
	for (int i = 0; i < STRESS_MAPPERS; i++) {
		mappers[i] = (struct mapper){.code = i, .shared = shmget(IPC_PRIVATE, 3 * STRESS_PAGE, 0600)};
		if (mappers[i].shared >= 0) /* it goes when nobody has it */
			shmat(mappers[i].shared, NULL, 0), shmctl(mappers[i].shared, IPC_RMID, NULL);
	}
	return file;
}

void stress_unmap_all(void)
{
	munmap(arenas, STRESS_MAPPERS * ARENA * STRESS_PAGE);
	for (int i = 0; i < STRESS_MAPPERS; i++)
		for (int k = 0; k < LOOSE; k++)
			if (mappers[i].loose[k] != NULL) {
				munmap(mappers[i].loose[k], mappers[i].loose_pages[k] * STRESS_PAGE);
				mappers[i].loose[k] = NULL;
			}
}
