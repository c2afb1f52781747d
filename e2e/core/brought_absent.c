/* Functions of a family that Debian's library lacks, because others of its versions have them: made of those that it has. They are
 * weak, so that a library's own come before them. */
#include <stddef.h>

#define ABSENT __attribute__((weak))
#define REAL(name) __asm__("__real_" #name) __attribute__((weak))

#if defined CORE_MIMALLOC

#include <mimalloc.h>

/* These call others through the linker, as an allocator of several object files does. */
#define USABLE(name, parameters, made) \
	ABSENT void *name parameters \
	{ \
		void *p = made; \
		*usable = p == NULL ? 0 : mi_usable_size(p); \
		return p; \
	}
USABLE(mi_umalloc, (size_t size, size_t *usable), mi_malloc(size))
USABLE(mi_umalloc_small, (size_t size, size_t *usable), mi_malloc_small(size))
USABLE(mi_uzalloc, (size_t size, size_t *usable), mi_zalloc(size))
USABLE(mi_uzalloc_small, (size_t size, size_t *usable), mi_zalloc_small(size))
USABLE(mi_ucalloc, (size_t count, size_t size, size_t *usable), mi_calloc(count, size))
USABLE(mi_umalloc_aligned, (size_t size, size_t alignment, size_t *usable), mi_malloc_aligned(size, alignment))
USABLE(mi_uzalloc_aligned, (size_t size, size_t alignment, size_t *usable), mi_zalloc_aligned(size, alignment))

ABSENT void *mi_urealloc(void *p, size_t size, size_t *before, size_t *after)
{
	*before = mi_usable_size(p);
	p = mi_realloc(p, size);
	*after = mi_usable_size(p);
	return p;
}

void real_free(void *p) REAL(mi_free);

ABSENT void mi_free_small(void *p)
{
	real_free(p);
}

ABSENT void mi_ufree(void *p, size_t *usable)
{
	*usable = mi_usable_size(p);
	real_free(p);
}

#elif defined CORE_TCMALLOC

void *real_memalign(size_t alignment, size_t size) REAL(tc_memalign);
void real_free(void *p) REAL(tc_free);

ABSENT void *tc_aligned_alloc(size_t alignment, size_t size)
{
	return real_memalign(alignment, size);
}

ABSENT void tc_free_aligned_sized(void *p, size_t alignment, size_t size)
{
	(void)alignment, (void)size;
	real_free(p);
}

#elif defined CORE_JEMALLOC

enum { PAGE = 4096 };

void *real_memalign(size_t alignment, size_t size) REAL(je_memalign);
void *real_realloc(void *p, size_t size) REAL(je_realloc);
void real_free(void *p) REAL(je_free);

ABSENT void *je_pvalloc(size_t size)
{
	return real_memalign(PAGE, (size + PAGE - 1) / PAGE * PAGE);
}

ABSENT void *je_reallocarray(void *p, size_t count, size_t size)
{
	return real_realloc(p, count * size);
}

ABSENT void je_cfree(void *p)
{
	real_free(p);
}

ABSENT void je_free_sized(void *p, size_t size)
{
	(void)size;
	real_free(p);
}

ABSENT void je_free_aligned_sized(void *p, size_t alignment, size_t size)
{
	(void)alignment, (void)size;
	real_free(p);
}

#endif
