// An allocator that a test defines, as functions whose names BUMP(f) makes, with BUMP_ROOM bytes. They may be called in a handler
// that interrupts any of them: addresses rise, and no block is used twice.
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

static char *arena;
static size_t used;

static char *base(void)
{
	char *none = NULL, *mapped = __atomic_load_n(&arena, __ATOMIC_ACQUIRE);
	if (mapped)
		return mapped;
	mapped = mmap(NULL, BUMP_ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (mapped == MAP_FAILED)
		return NULL;
	if (__atomic_compare_exchange_n(&arena, &none, mapped, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return mapped;
	munmap(mapped, BUMP_ROOM);
	return none;
}

static void *take(size_t alignment, size_t size)
{
	size_t align = alignment < 16 ? 16 : alignment, room = size + align + sizeof size;
	char *from = base();
	if (!from || size > BUMP_ROOM / 4 || align > BUMP_ROOM / 4)
		goto none;
	size_t at = __atomic_fetch_add(&used, room, __ATOMIC_RELAXED);
	if (at > BUMP_ROOM - room)
		goto none;
	char *block = (char *)(((uintptr_t)from + at + sizeof size + align - 1) & -align);
	((size_t *)block)[-1] = size;
	return block;
none:
	errno = ENOMEM;
	return NULL;
}

static size_t size_of(const void *block)
{
	return block ? ((const size_t *)block)[-1] : 0;
}

void *BUMP(malloc)(size_t size)
{
	return take(16, size);
}

void *BUMP(calloc)(size_t count, size_t size)
{
	return take(16, count * size);
}

void *BUMP(aligned_alloc)(size_t alignment, size_t size)
{
	return take(alignment, size);
}

int BUMP(posix_memalign)(void **to, size_t alignment, size_t size)
{
	void *block = take(alignment, size);
	if (block)
		*to = block;
	return block ? 0 : ENOMEM;
}

void *BUMP(realloc)(void *block, size_t size)
{
	size_t old = size_of(block);
	char *moved = take(16, size);
	for (size_t i = 0; moved && i < old && i < size; i++)
		((volatile char *)moved)[i] = ((char *)block)[i];
	return moved;
}

void BUMP(free)(void *block)
{
	(void)block;
}
