#define _GNU_SOURCE
#define _LARGEFILE64_SOURCE
#include "maps.h"

#include <stdint.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <unistd.h>

#include "way.h"

#define PAGE 4096

static void *mapped(void *p)
{
	return kept(p == MAP_FAILED ? NULL : p);
}

WAY core_mmap(size_t length)
{
	return mapped(mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
}

WAY core_mmap64(size_t length)
{
	return mapped(mmap64(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
}

static void *fixed(void *at, size_t length, int protection)
{
	return mmap(at, length, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

/* Over the middle of a range without access. */
WAY core_mmap_fixed(size_t length)
{
	char *around = mmap(NULL, length + 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return mapped(around == MAP_FAILED ? around : fixed(around + PAGE, length, PROT_READ | PROT_WRITE));
}

static int unmap_fixed(void *p, size_t length)
{
	return munmap((char *)p - PAGE, length + 2 * PAGE);
}

/* The last page is unmapped, and the page before is mapped by nobody else. */
WAY core_munmap(size_t length)
{
	char *p = mapped(mmap(NULL, length + 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
	if (p == NULL || munmap(p, PAGE) != 0 || munmap(p + length + PAGE, PAGE) != 0)
		return NULL;
	return kept(p + PAGE);
}

/* To an address where nothing can be in its way. */
WAY core_mremap(size_t length)
{
	char *from = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *to = mmap(NULL, length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (from == MAP_FAILED || to == MAP_FAILED)
		return NULL;
	return mapped(mremap(from, PAGE, length, MREMAP_MAYMOVE | MREMAP_FIXED, to));
}

static int unmap(void *p, size_t length)
{
	return munmap(p, length);
}

/* The heap's end need not lie between two pages. */
WAY core_sbrk(size_t length)
{
	intptr_t part = -(intptr_t)sbrk(0) & (PAGE - 1);
	if (part != 0 && sbrk(part) == MAP_FAILED)
		return NULL;
	return mapped(sbrk((intptr_t)length));
}

/* Where malloc has moved the end since then, nobody may lower it: the pages are mapped over, and then unmapped. */
static int lower(void *p, size_t length)
{
	if (sbrk(0) == (char *)p + length)
		return sbrk(-(intptr_t)length) != MAP_FAILED ? 0 : -1;
	return fixed(p, length, PROT_NONE) == p ? munmap(p, length) : -1;
}

WAY core_shmat(size_t length)
{
	int segment = shmget(IPC_PRIVATE, length, 0600);
	if (segment < 0)
		return NULL;
	void *p = shmat(segment, NULL, 0);
	shmctl(segment, IPC_RMID, NULL);
	return mapped(p);
}

static int detach(void *p, size_t length)
{
	(void)length;
	return shmdt(p);
}

static const struct call {
	const char *name;
	void *(*map)(size_t length);
	int (*unmap)(void *p, size_t length);
} calls[] = {
	{"core_mmap", core_mmap, unmap},       {"core_mmap64", core_mmap64, unmap},
	{"core_mmap_fixed", core_mmap_fixed, unmap_fixed}, {"core_munmap", core_munmap, unmap},
	{"core_mremap", core_mremap, unmap},   {"core_sbrk", core_sbrk, lower},
	{"core_shmat", core_shmat, detach},
};

void *core_map(int call, size_t length)
{
	return kept(calls[call].map(length));
}

const char *core_map_name(int call)
{
	return call < (int)(sizeof calls / sizeof *calls) ? calls[call].name : NULL;
}

int core_unmap(int call, void *p, size_t length)
{
	return calls[call].unmap(p, length);
}
