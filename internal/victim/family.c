#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "victim.h"

enum { ALIGNMENT = 512, PAGE = 4096, MALLOC = 16 };

static void *by_calloc(size_t size)
{
	return victim_calloc(1, size);
}

static void *by_realloc(size_t size)
{
	return victim_realloc(NULL, size);
}

static void *by_reallocarray(size_t size)
{
	return victim_reallocarray(NULL, size, 1);
}

static void *by_posix_memalign(size_t size)
{
	return victim_posix_memalign(ALIGNMENT, size);
}

static void *by_aligned_alloc(size_t size)
{
	return victim_aligned_alloc(ALIGNMENT, size);
}

static void *by_memalign(size_t size)
{
	return victim_memalign(ALIGNMENT, size);
}

static const struct victim_way ways[] = {
	{"malloc", "victim_malloc", MALLOC, victim_malloc},
	{"calloc", "victim_calloc", MALLOC, by_calloc},
	{"realloc", "victim_realloc", MALLOC, by_realloc},
	{"reallocarray", "victim_reallocarray", MALLOC, by_reallocarray},
	{"posix_memalign", "victim_posix_memalign", ALIGNMENT, by_posix_memalign},
	{"aligned_alloc", "victim_aligned_alloc", ALIGNMENT, by_aligned_alloc},
	{"memalign", "victim_memalign", ALIGNMENT, by_memalign},
	{"valloc", "victim_valloc", PAGE, victim_valloc},
	{"pvalloc", "victim_pvalloc", PAGE, victim_pvalloc},
};

struct victim_way victim_way(unsigned number)
{
	struct victim_way none = {NULL};
	return number < sizeof ways / sizeof *ways ? ways[number] : none;
}

struct victim_outcome victim_allocate(unsigned way, size_t size, int error)
{
	struct victim_outcome outcome;
	errno = error;
	outcome.block = ways[way].allocate(size);
	outcome.error = errno;
	return outcome;
}

static void by_free(void *block, size_t size)
{
	(void)size;
	victim_free(block);
}

static void by_cfree(void *block, size_t size)
{
	(void)size;
	victim_cfree(block);
}

static void by_free_aligned_sized(void *block, size_t size)
{
	victim_free_aligned_sized(block, ALIGNMENT, size);
}

static const struct {
	const char *name;
	void (*release)(void *block, size_t size);
} releases[] = {
	{"free", by_free},
	{"cfree", by_cfree},
	{"free_sized", victim_free_sized},
	{"free_aligned_sized", by_free_aligned_sized},
};

const char *victim_release_name(unsigned number)
{
	return number < sizeof releases / sizeof *releases ? releases[number].name : NULL;
}

int victim_release(unsigned number, void *block, size_t size, int error)
{
	errno = error;
	releases[number].release(block, size);
	return errno;
}

size_t victim_resident(void *block, size_t size)
{
	enum { AT_ONCE = 1024 };
	unsigned char in[AT_ONCE];
	uintptr_t at = ((uintptr_t)block + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
	size_t pages = ((uintptr_t)block + size - at) / PAGE, resident = 0;
	for (size_t done = 0; done < pages; done += AT_ONCE) {
		size_t n = pages - done < AT_ONCE ? pages - done : AT_ONCE;
		if (mincore((void *)(at + done * PAGE), n * PAGE, in))
			return size;
		for (size_t i = 0; i < n; i++)
			resident += in[i] & 1;
	}
	return resident * PAGE;
}

void *victim_past_hooks(size_t size)
{
	void *(*allocate)(size_t) = (void *(*)(size_t))dlsym(RTLD_DEFAULT, "__libc_malloc");
	return allocate ? allocate(size) : NULL;
}

int victim_free_past_hooks(void *block)
{
	void (*release)(void *) = (void (*)(void *))dlsym(RTLD_DEFAULT, "__libc_free");
	if (!release)
		return ENOSYS;
	release(block);
	return 0;
}
