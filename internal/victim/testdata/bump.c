#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

/* An allocator to preload whose functions may be called in a handler that interrupts any of them: addresses go up, and no
   block is used twice. */

#define ARENA (16ULL << 30)

static char *arena;
static size_t used;

static char *base(void)
{
	char *none = NULL, *mapped = __atomic_load_n(&arena, __ATOMIC_ACQUIRE);
	if (mapped)
		return mapped;
	mapped = mmap(NULL, ARENA, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (mapped == MAP_FAILED)
		return NULL;
	if (__atomic_compare_exchange_n(&arena, &none, mapped, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return mapped;
	munmap(mapped, ARENA);
	return none;
}

static void *take(size_t alignment, size_t size)
{
	size_t align = alignment < 16 ? 16 : alignment, room = size + align + sizeof size;
	char *from = base();
	if (!from || size > ARENA / 4 || align > ARENA / 4)
		goto none;
	size_t at = __atomic_fetch_add(&used, room, __ATOMIC_RELAXED);
	if (at > ARENA - room)
		goto none;
	char *block = (char *)(((uintptr_t)from + at + sizeof size + align - 1) & -align);
	((size_t *)block)[-1] = size;
	return block;
none:
	errno = ENOMEM;
	return NULL;
}

void *memalign(size_t alignment, size_t size)
{
	return take(alignment, size);
}

void *malloc(size_t size)
{
	return take(16, size);
}

void *calloc(size_t count, size_t size)
{
	return take(16, count * size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
	return take(alignment, size);
}

int posix_memalign(void **to, size_t alignment, size_t size)
{
	void *block = take(alignment, size);
	if (block)
		*to = block;
	return block ? 0 : ENOMEM;
}

size_t malloc_usable_size(void *block)
{
	return block ? ((size_t *)block)[-1] : 0;
}

void *realloc(void *block, size_t size)
{
	size_t old = block ? ((size_t *)block)[-1] : 0;
	char *moved = take(16, size);
	for (size_t i = 0; moved && i < old && i < size; i++)
		((volatile char *)moved)[i] = ((char *)block)[i];
	return moved;
}

void free(void *block)
{
	(void)block;
}
