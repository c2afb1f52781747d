//go:build ignore

// The kernel promises all of a segment's memory when it is made (but for SHM_NORESERVE), and nobody can make it shorter. So a store there
// is as good as one to the process's own memory. A file in memory has neither: each of its pages is promised when it is first touched, by
// the bounds of its volume and, with vm.overcommit_memory=2, of the machine; a page that cannot be had is a SIGBUS.

#define _GNU_SOURCE
#include "segment.h"

#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <unistd.h>

#include "memory.h"

_Static_assert(sizeof(struct segment_end) + sizeof(uint64_t) <= REGION_END, "the region's mark is the first word there");

static bool is_large(int number, uint64_t size)
{
	struct shmid_ds s;
	return shmctl(number, IPC_STAT, &s) == 0 && s.shm_segsz == size;
}

static struct segment_end *end_of(char *at, uint64_t size)
{
	return (struct segment_end *)(at + size - sizeof(struct segment_end));
}

// In another namespace the number is that of a segment of others. One that this process has already is of a program that has executed this.
static bool claim(struct segment_end *end, uint64_t token, uint64_t *before)
{
	*before = 0;
	return end->token == token &&
	       (__atomic_compare_exchange_n(&end->owner, before, (uint64_t)getpid(), 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) || *before == (uint64_t)getpid());
}

static bool clear(char *at, uint64_t size)
{
	uint64_t last = getauxval(AT_PAGESZ);
	if (madvise(at, size - last, MADV_REMOVE) != 0)
		return false;
	memset(at + size - last, 0, last - sizeof(struct segment_end));
	return true;
}

// A dump of the process's memory would have all of it, and give it all its pages.
static bool prepare(char *at, uint64_t token, uint64_t size)
{
	uint64_t before;
	return claim(end_of(at, size), token, &before) && (before == 0 || clear(at, size)) && madvise(at, size, MADV_DONTDUMP) == 0;
}

// A filter may end a process that makes these calls.
bool segment_take(struct region_file *file, int number, uint64_t token, uint64_t size)
{
	char *at = token == 0 || calls_may_be_filtered() || !is_large(number, size) ? (void *)-1 : shmat(number, NULL, 0);
	if (at == (void *)-1)
		return false;
	if (!prepare(at, token, size)) {
		shmdt(at);
		return false;
	}
	*file = (struct region_file){.pages = (uintptr_t)at};
	return true;
}
