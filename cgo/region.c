//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

#include "region.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>

#include "machine.h"
#include "pages.h"

struct header *cgoheap_region;
uint64_t cgoheap_mapped;
uint32_t *cgoheap_here;
uint64_t cgoheap_file_size;

static uint64_t writable; // bytes of the region that may be written

static struct {
	bool is_segment;
	char path[PATH_MAX];
	uint64_t device, inode;
} mapped_file;

// What lies behind the filter.
#define REST (REGION_FILTER + REGION_FILTER_SLOTS)

#define STEP (4 << 20) // by which writable grows

_Static_assert(REGION_FILTER % PAGES_LARGEST == 0 && REGION_FILTER_SLOTS % PAGES_LARGEST == 0, "the filter lies on pages of its own");
_Static_assert(STEP % PAGES_LARGEST == 0, "what may be written are whole pages");

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
		struct header *at = pages_reserve(size);
		if (at == NULL)
			return errno;
		if (!pages_allow(at, REST)) {
			pages_unmap(at, size);
			return ENOMEM;
		}
		(void)wipe_in_children(at, sizeof *at);
		be_here(&at->pid);
		__atomic_store_n(&cgoheap_region, at, __ATOMIC_RELEASE);
		cgoheap_mapped = size;
		writable = REST;
	}
	return 0;
}

bool region_allow(uint64_t end)
{
	uint64_t now = __atomic_load_n(&writable, __ATOMIC_ACQUIRE), to = REGION_ALIGN(end, STEP);
	if (end <= now)
		return true;
	if (to > cgoheap_mapped)
		to = cgoheap_mapped;
	if (!pages_allow(region_at(now), to - now))
		return false;
	while (now < to && !__atomic_compare_exchange_n(&writable, &now, to, 1, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
	return true;
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
	if (!place(region_at(REST), pages_reserve(size - REST), size - REST))
		return false;
	writable = REST;
	if (!place(cgoheap_region, pages_map(REGION_FILTER), REGION_FILTER))
		return false;
	(void)wipe_in_children(cgoheap_region, sizeof(struct header));
	return true;
}

// The filter stays in memory.
static bool place_file(char *pages, uint64_t size)
{
	bool rest = pages_place(region_at(REST), pages + REST, size - REST);
	bool head = rest && pages_place(cgoheap_region, pages, REGION_FILTER);
	int error = errno;
	if (head)
		pages_unmap(pages + REGION_FILTER, REGION_FILTER_SLOTS);
	else
		pages_unmap(pages, rest ? REST : size);
	errno = error;
	return head;
}

// From linux/futex.h, which musl's compilers do not find: add 1 to the second word, and wake nobody.
#define FUTEX_WAIT_PRIVATE 128
#define FUTEX_WAKE_OP_PRIVATE 133
#define ADD_ONE (1 << 28 | 1 << 12)

bool region_add_one(void *word)
{
	uint32_t other = 0;
	return system_call6(SYS_futex, (long)&other, FUTEX_WAKE_OP_PRIVATE, 0, 0, (long)word, ADD_ONE) >= 0;
}

// The mark is the last word of the file, so whoever makes that shorter takes it away.
static uint32_t *mark(void)
{
	return region_at((cgoheap_file_size - REGION_END) / sizeof(uint32_t) * sizeof(uint32_t));
}

bool region_file_is_whole(void)
{
	const struct timespec at_once = {0, 0};
	return system_call(SYS_futex, (long)mark(), FUTEX_WAIT_PRIVATE, 1, (long)&at_once) == -ETIMEDOUT; // it is 1
}

bool region_may_lack_pages(void)
{
	return cgoheap_file_size != 0 && !mapped_file.is_segment;
}

static bool leave_file(void)
{
	if (!place_memory(cgoheap_file_size))
		return false;
	cgoheap_file_size = 0;
	be_here(&cgoheap_region->pid);
	return true;
}

static void know(const struct region_file *file)
{
	size_t length = file->path == NULL ? 0 : strlen(file->path);
	mapped_file.is_segment = file->path == NULL;
	mapped_file.path[0] = 0;
	if (length != 0 && length < sizeof mapped_file.path)
		memcpy(mapped_file.path, file->path, length + 1);
	mapped_file.device = file->device;
	mapped_file.inode = file->inode;
}

static int map_file(const struct region_file *file, uint64_t size)
{
	uint32_t *word = word_for_file();
	if (word == NULL) {
		int error = errno;
		pages_unmap((void *)file->pages, size);
		return error;
	}
	if (!place_file((char *)file->pages, size)) {
		int error = errno;
		(void)place_memory(size); // what is left of the file there is zero, and nothing will be recorded into it
		return error;
	}
	know(file);
	cgoheap_file_size = size;
	writable = size;
	be_here(word);
	return region_add_one(mark()) || leave_file() ? 0 : errno;
}

int region_map(const struct region_file *file, uint64_t size)
{
	int failed = size > REGION_MOST ? EINVAL : 0;
	if (failed == 0 && cgoheap_file_size != 0 && !leave_file()) // nor could it be left when the last recording ended
		failed = errno;
	if (failed == 0)
		failed = map_memory(size);
	if (file == NULL)
		return failed;
	if (failed == 0)
		return map_file(file, size);
	pages_unmap((void *)file->pages, size);
	return failed;
}

// The bytes that may have been written: those handed out, unless the program has overwritten that number.
static uint64_t written(const struct header *h)
{
	uint64_t used = __atomic_load_n(&h->used, __ATOMIC_RELAXED);
	return used >= REST && used <= writable ? used : writable;
}

void region_close(void)
{
	uint64_t used = written(cgoheap_region);
	__atomic_store_n(cgoheap_here, 0, __ATOMIC_RELAXED);
	if (cgoheap_file_size != 0 && !leave_file() && mapped_file.is_segment)
		return; // a process that it was forked from may have it, too
	if (used > writable) // memory has taken the file's place
		used = writable;
	pages_clear(cgoheap_region, cgoheap_mapped, used);
}

static bool is_mapped_file(long file)
{
	struct stat s;
	return system_call(SYS_fstat, file, (long)&s, 0, 0) == 0 && s.st_dev == mapped_file.device && s.st_ino == mapped_file.inode;
}

static void map_copy(int file, uint64_t from, uint64_t size)
{
	const int flags = MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE;
	(void)system_call6(SYS_mmap, (long)region_at(from), (long)size, PROT_READ | PROT_WRITE, flags, file, (long)from);
}

// Puts empty memory in place of a part of the segment. There is always room for it: it takes the addresses that the segment had, and what may
// only be read counts against no limit.
static bool replace(uint64_t from, uint64_t limit)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE;
	return from >= limit || system_call6(SYS_mmap, (long)region_at(from), (long)(limit - from), PROT_READ, flags, -1, 0) == (long)region_at(from);
}

// Without room for a copy the hook goes on in the segment: its event counts in both processes.
static void copy_segment(void)
{
	uint64_t used = written(cgoheap_region), whole = REGION_ALIGN(used, PAGES_LARGEST);
	uint64_t size = whole < cgoheap_file_size ? whole : cgoheap_file_size;
	char *copy = pages_map(size);
	if (copy == NULL)
		return;
	memcpy(copy, cgoheap_region, REGION_FILTER);
	memcpy(copy + REST, region_at(REST), used - REST);
	if (replace(size, cgoheap_file_size) && place_file(copy, size))
		writable = size;
}

static void leave_segment(void)
{
	if (!replace(REST, cgoheap_file_size) || !replace(0, REGION_FILTER) || !pages_allow(cgoheap_region, REGION_FILTER))
		return;
	writable = REST;
	cgoheap_file_size = 0;
	(void)wipe_in_children(cgoheap_region, sizeof(struct header));
	be_here(&cgoheap_region->pid);
}

// The child has one thread, so nobody else gets to see the descriptor.
static void copy_file(void)
{
	long file = system_call(SYS_openat, AT_FDCWD, (long)mapped_file.path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0);
	if (file < 0)
		return;
	if (is_mapped_file(file)) {
		map_copy((int)file, REST, cgoheap_file_size - REST);
		map_copy((int)file, 0, REGION_FILTER);
	}
	system_call(SYS_close, file, 0, 0, 0);
}

void region_forsake(bool goes_on)
{
	__atomic_store_n(cgoheap_here, 0, __ATOMIC_RELAXED); // an emulator may not wipe
	if (region_may_lack_pages())
		copy_file();
	else if (cgoheap_file_size != 0 && goes_on)
		copy_segment();
	else if (cgoheap_file_size != 0)
		leave_segment();
}

static uint64_t reserve_lines(uint64_t size)
{
	struct header *h = cgoheap_region;
	uint64_t used = __atomic_load_n(&h->used, __ATOMIC_RELAXED), at;
	do {
		at = REGION_ALIGN(used, 64);
		if (size > h->size - REGION_END || at > h->size - REGION_END - size || !region_allow(at + size))
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
