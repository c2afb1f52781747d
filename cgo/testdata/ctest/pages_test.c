// Pages are zero again, whatever the kernel does with them.
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../../pages.h"
#include "check.h"

enum { SIZE = 4 << 20, USED = SIZE / 2 + 40 };

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

// From now on, as if the process could have no more mappings when it unmaps that many bytes. False in emulators, which have no filters.
static bool no_room(uint32_t size)
{
	struct sock_filter refusal[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_munmap, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, size, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOMEM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof refusal / sizeof *refusal, refusal};
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static void unmapped(void)
{
	unsigned char resident[SIZE / 4096] = {1};
	char *at = pages_map(SIZE), *part = at + SIZE / 2;
	const size_t size = SIZE / 2 - PAGES_LARGEST;
	check(at != NULL);
	memset(at, 7, SIZE);
	if (no_room(size)) {
		pages_unmap(part, size);
		check(mincore(part, size, resident) == 0);
		for (size_t i = 0; i < size / 4096; i++)
			check((resident[i] & 1) == 0);
	}
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
	run("pages that are reserved count against no limit until they are allowed", reserved);
	run("more than there is room for is refused", too_large);
	run("pages that cannot be unmapped give their memory back", unmapped);
}
