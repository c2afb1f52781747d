#include "brought.h"
#include "victim.h"

#define SITE(name, call) \
	VICTIM_SITE void *name(void *p, size_t size) \
	{ \
		(void)p; \
		void *q = call; \
		VICTIM_USE(q); \
		return q; \
	}

SITE(victim_je_malloc, je_malloc(size))
SITE(victim_je_calloc, je_calloc(1, size))
SITE(victim_je_aligned_alloc, je_aligned_alloc(64, size))
SITE(victim_je_realloc, je_realloc(p, size))
SITE(victim_je_mallocx, je_mallocx(size, 0))
SITE(victim_je_rallocx, je_rallocx(p, size, 0))
SITE(victim_je_xallocx, je_xallocx(p, size, 0, 0) >= size ? p : NULL)
SITE(victim_je_posix_memalign, je_posix_memalign(&p, 64, size) == 0 ? p : NULL)

void victim_je_free(void *p)
{
	je_free(p);
}

void victim_je_dallocx(void *p)
{
	je_dallocx(p, 0);
}

void victim_je_sdallocx(void *p, size_t size)
{
	je_sdallocx(p, size, 0);
}
