//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

#include "region.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "machine.h"
#include "pages.h"

struct header *cgoheap_region;
uint64_t cgoheap_mapped;
uint32_t *cgoheap_here;
int cgoheap_file = -1;
uint64_t cgoheap_file_size;

static struct {
	dev_t device;
	ino_t inode;
} mapped_file;

// What lies behind the filter.
#define REST (REGION_FILTER + REGION_FILTER_SLOTS)

_Static_assert(REGION_FILTER % PAGES_LARGEST == 0 && REGION_FILTER_SLOTS % PAGES_LARGEST == 0, "the filter lies on pages of its own");

// Fails in kernels before 4.14: a child that libc does not know of then records into its own copy.
static bool wipe_in_children(void *at, size_t size)
{
	return madvise(at, size, MADV_WIPEONFORK) == 0;
}

static void be_here(uint32_t *word)
{
	__atomic_store_n(&cgoheap_here, word, __ATOMIC_RELEASE);
}

static int map_memory(uint64_t size)
{
	// A region is never unmapped: a free that read the filter's address just before the stop may still look there.
	// One that is too small for its successor is left behind, empty.
	if (cgoheap_mapped < size) {
		struct header *at = pages_map(size);
		if (at == NULL)
			return errno;
		(void)wipe_in_children(at, sizeof *at);
		be_here(&at->pid);
		__atomic_store_n(&cgoheap_region, at, __ATOMIC_RELEASE);
		cgoheap_mapped = size;
	}
	return 0;
}

// A word of its own: the kernel does not wipe pages of a file.
static uint32_t *word_for_file(void)
{
	static uint32_t *word;
	if (word == NULL) {
		void *page = pages_map(PAGES_LARGEST);
		if (page != NULL && !wipe_in_children(page, PAGES_LARGEST)) {
			int error = errno;
			pages_unmap(page, PAGES_LARGEST);
			errno = error;
			page = NULL;
		}
		word = page;
	}
	return word;
}

static bool place(void *at, void *pages, size_t size)
{
	if (pages != NULL && pages_place(at, pages, size))
		return true;
	int error = errno;
	if (pages != NULL)
		pages_unmap(pages, size);
	errno = error;
	return false;
}

// Puts the process's own memory in place of the file.
static bool place_memory(uint64_t size)
{
	if (!place(region_at(REST), pages_map(size - REST), size - REST) || !place(cgoheap_region, pages_map(REGION_FILTER), REGION_FILTER))
		return false;
	(void)wipe_in_children(cgoheap_region, sizeof(struct header));
	return true;
}

static bool place_file(int file, uint64_t size)
{
	return place(region_at(REST), pages_map_file(file, REST, size - REST), size - REST) &&
	       place(cgoheap_region, pages_map_file(file, 0, REGION_FILTER), REGION_FILTER);
}

bool region_stat_file(struct stat *s)
{
	return system_call(SYS_fstat, cgoheap_file, (long)s, 0, 0) == 0 && s->st_dev == mapped_file.device && s->st_ino == mapped_file.inode;
}

static int map_file(int file, uint64_t size)
{
	struct stat s;
	uint32_t *word = word_for_file();
	if (word == NULL || fstat(file, &s) != 0)
		return errno;
	mapped_file.device = s.st_dev;
	mapped_file.inode = s.st_ino;
	if (!place_file(file, size)) {
		int error = errno;
		(void)place_memory(size); // what is left of the file there is zero, and nothing will be recorded into it
		return error;
	}
	cgoheap_file = file;
	cgoheap_file_size = size;
	be_here(word);
	return 0;
}

static bool leave_file(void)
{
	if (!place_memory(cgoheap_file_size))
		return false;
	cgoheap_file = -1;
	be_here(&cgoheap_region->pid);
	return true;
}

int region_map(int file, uint64_t size)
{
	if (size > REGION_MOST)
		return EINVAL;
	if (cgoheap_file >= 0 && !leave_file()) // nor could it be left when the last recording ended
		return errno;
	int failed = map_memory(size);
	return failed != 0 || file < 0 ? failed : map_file(file, size);
}

// The bytes that may have been written: those handed out, unless the program has overwritten that number.
static uint64_t written(const struct header *h)
{
	uint64_t used = __atomic_load_n(&h->used, __ATOMIC_RELAXED);
	return used >= REST && used <= cgoheap_mapped ? used : cgoheap_mapped;
}

void region_close(void)
{
	uint64_t used = written(cgoheap_region);
	__atomic_store_n(cgoheap_here, 0, __ATOMIC_RELAXED);
	if (cgoheap_file >= 0 && leave_file())
		used = REST;
	pages_clear(cgoheap_region, cgoheap_mapped, used);
}

void region_forsake(void)
{
	__atomic_store_n(cgoheap_here, 0, __ATOMIC_RELAXED); // an emulator may not wipe
	struct stat s;
	if (cgoheap_file < 0 || !region_stat_file(&s))
		return;
	(void)mmap(region_at(REST), cgoheap_file_size - REST, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, cgoheap_file, REST);
	(void)mmap(cgoheap_region, REGION_FILTER, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, cgoheap_file, 0);
}

static uint64_t reserve_lines(uint64_t size)
{
	struct header *h = cgoheap_region;
	uint64_t used = __atomic_load_n(&h->used, __ATOMIC_RELAXED), at;
	do {
		at = REGION_ALIGN(used, 64);
		if (size > h->size || at > h->size - size)
			return 0;
	} while (!__atomic_compare_exchange_n(&h->used, &used, at + size, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	return at;
}

// Records are cut from chunks, each size from chunks of its own. A sample reads one record of each kind, so records of
// one kind then lie on few pages. And small records leave no unused space before larger ones. If two threads reserve a
// chunk at once, one finds the other's already linked, and its own stays unused.
static uint64_t reserve_from(uint64_t *chunk, uint32_t chunk_bytes, uint32_t units)
{
	uint64_t seen = __atomic_load_n(chunk, __ATOMIC_RELAXED), at, left;
	do {
		at = seen >> 32;
		left = (uint32_t)seen;
		if (left < units) {
			at = reserve_lines(chunk_bytes) / 16;
			left = chunk_bytes / 16;
		}
		if (at == 0)
			return 0;
	} while (!__atomic_compare_exchange_n(chunk, &seen, (at + units) << 32 | (left - units), 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	return at * 16;
}

uint64_t region_reserve(uint64_t size)
{
	uint64_t lines = (size + 63) / 64;
	if (size < 64)
		return reserve_from(&cgoheap_region->chunks[0], 1024, (uint32_t)(size + 15) / 16);
	uint64_t at = lines < REGION_CHUNKS ? reserve_from(&cgoheap_region->chunks[lines], 16384, (uint32_t)lines * 4) : 0;
	return at != 0 ? at : reserve_lines(size); // near the end there is no room for a chunk
}
