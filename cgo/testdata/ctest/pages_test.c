// Pages are zero again, whatever the kernel does with them.
#define _GNU_SOURCE
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../../pages.h"
#include "check.h"

enum { SIZE = 4 << 20, USED = SIZE / 2 + 40 };

// As if the process could have no more mappings.
static bool no_room;

int munmap(void *at, size_t size)
{
	if (no_room) {
		errno = ENOMEM;
		return -1;
	}
	return (int)syscall(SYS_munmap, at, size);
}

// As if the kernel did not take back memory that a driver has mapped.
static bool refused;

int madvise(void *at, size_t size, int advice)
{
	if (refused) {
		errno = EINVAL;
		return -1;
	}
	return (int)syscall(SYS_madvise, at, size, advice);
}

static void unmapped(void)
{
	unsigned char resident[SIZE / 4096] = {1};
	char *at = pages_map(SIZE);
	check(at != NULL);
	memset(at, 7, SIZE);
	no_room = true;
	pages_unmap(at, SIZE);
	no_room = false;
	check(mincore(at, SIZE, resident) == 0);
	for (size_t i = 0; i < sizeof resident; i++)
		check((resident[i] & 1) == 0);
	pages_unmap(at, SIZE);
	check(mincore(at, SIZE, resident) == -1 && errno == ENOMEM);
}

static void cleared(char *at)
{
	memset(at, 7, USED);
	pages_clear(at, SIZE, USED);
	for (int i = 0; i < SIZE; i++)
		check(at[i] == 0);
}

static void mapped(void)
{
	char *at = pages_map(SIZE);
	check(at != NULL);
	cleared(at);
	cleared(at);
	pages_clear(at, SIZE, 0);
	check(munmap(at, SIZE) == 0);
}

static void locked(void)
{
	char *at = pages_map(SIZE);
	if (mlock(at, SIZE) == 0)
		cleared(at);
	check(munmap(at, SIZE) == 0);
}

// The kernel keeps shared memory, but reports that it took it back.
static void kept(void)
{
	char *at = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	check(at != MAP_FAILED);
	cleared(at);
	check(munmap(at, SIZE) == 0);
}

static void refusing(void)
{
	char *at = pages_map(SIZE);
	check(at != NULL);
	refused = true;
	cleared(at);
	refused = false;
	pages_unmap(at, SIZE);
}

static bool may_write(size_t size)
{
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (at != MAP_FAILED)
		munmap(at, size);
	return at != MAP_FAILED;
}

// The program has nearly as much of its limit as without what is reserved.
static void reserved(void)
{
	struct rlimit before, limit;
	check(getrlimit(RLIMIT_DATA, &before) == 0);
	limit = before;
	limit.rlim_cur = 64 << 20;
	check(setrlimit(RLIMIT_DATA, &limit) == 0);
	if (!may_write(32 << 20) || may_write(64 << 20)) { // a sanitizer has more, or this machine's emulator knows no limit
		check(setrlimit(RLIMIT_DATA, &before) == 0);
		return;
	}
	char *at = pages_reserve(256 << 20);
	check(at != NULL && at[0] == 0 && at[(256 << 20) - 1] == 0);
	check(may_write(32 << 20));
	check(pages_allow(at, PAGES_LARGEST));
	at[PAGES_LARGEST - 1] = 1;
	check(!pages_allow(at, 64 << 20) && may_write(32 << 20));
	check(setrlimit(RLIMIT_DATA, &before) == 0);
	pages_unmap(at, 256 << 20);
}

static void too_large(void)
{
	check(pages_map((size_t)1 << 60) == NULL);
}

int main(void)
{
	run("pages are cleared and used again", mapped);
	run("pages that are locked are cleared", locked);
	run("pages that the kernel does not take are cleared", kept);
	run("pages that the kernel refuses to take are cleared", refusing);
	run("pages that cannot be unmapped give their memory back", unmapped);
	run("pages that are reserved count against no limit until they are allowed", reserved);
	run("more than there is room for is refused", too_large);
}
