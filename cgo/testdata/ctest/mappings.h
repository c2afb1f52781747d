// Calls that map memory, through the hooks, and what the table says of a page.
#ifndef MAPPINGS_H
#define MAPPINGS_H

#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../mapped.h"
#include "../../record_mapped.h"
#include "totals.h"

void *hook_mmap(void *at, size_t length, int protection, int flags, int fd, off_t offset);
void *hook_mmap64(void *at, size_t length, int protection, int flags, int fd, off_t offset);
int hook_munmap(void *at, size_t length);
void *hook_mremap(void *at, size_t length, size_t to_length, int flags, void *to);
int hook_brk(void *limit);
void *hook_sbrk(intptr_t more);
void *hook_shmat(int segment, const void *at, int flags);
int hook_shmdt(const void *at);

#define PAGE 4096UL
#define RANGES 40000

// As Go's runtime calls them.
static __attribute__((noinline, unused)) uintptr_t go_mmap(void *at, uintptr_t length, int32_t protection, int32_t flags, int32_t fd,
						   uint32_t offset)
{
	void *p = hook_mmap(at, length, protection, flags, fd, offset);
	return p == MAP_FAILED ? (uintptr_t)1 : (uintptr_t)p;
}

static __attribute__((noinline, unused)) void go_munmap(void *at, uintptr_t length)
{
	check(hook_munmap(at, length) == 0);
}

static __attribute__((noinline, unused)) void *other_mmap(size_t length)
{
	void *p = hook_mmap(NULL, length, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	check(p != MAP_FAILED);
	return p;
}

static inline void start_mapped(void)
{
	check(mapping_find_go(&(struct go_calls){go_mmap, go_munmap, other_mmap}));
	start(1);
}

static struct mapped ranges[RANGES];
static size_t count_of_ranges;

static inline int by_start(const void *a, const void *b)
{
	const struct mapped *m = a, *n = b;
	return m->start < n->start ? -1 : m->start > n->start;
}

static inline void read_ranges(void)
{
	count_of_ranges = mapped_read(ranges, RANGES);
	check(count_of_ranges <= RANGES);
	qsort(ranges, count_of_ranges, sizeof *ranges, by_start);
	for (size_t i = 0; i < count_of_ranges; i++)
		check(ranges[i].start < ranges[i].limit && (i == 0 || ranges[i - 1].limit <= ranges[i].start));
}

// Returns the range that an address lies in; NULL if nobody knows who mapped it.
static inline const struct mapped *range_of(uintptr_t address)
{
	size_t low = 0, high = count_of_ranges;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (ranges[middle].limit <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < count_of_ranges && ranges[low].start <= address ? &ranges[low] : NULL;
}

#endif
