// Objects with operators of their own: an allocator, with the family, and operators that bypass it (ALLOCATOR) or call
// it as others do (ALLOCATOR, OUTSIDE); a library that hands out a chunk of malloc's piece by piece (POOL); and a
// program (none of these).
#include "operators.h"

#include <cstdlib>
#include <new>

int own_news, own_deletes;

#ifdef ALLOCATOR

extern "C" {
void *__libc_malloc(size_t size);
void __libc_free(void *p);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *p, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size) { return __libc_malloc(size); }
void free(void *p) { __libc_free(p); }
void *calloc(size_t count, size_t size) { return __libc_calloc(count, size); }
void *realloc(void *p, size_t size) { return __libc_realloc(p, size); }
void *memalign(size_t alignment, size_t size) { return __libc_memalign(alignment, size); }
void *aligned_alloc(size_t alignment, size_t size) { return __libc_memalign(alignment, size); }
int posix_memalign(void **to, size_t alignment, size_t size)
{
	*to = __libc_memalign(alignment, size);
	return 0;
}
}

#endif

static void *take(size_t size, [[maybe_unused]] size_t alignment)
{
	own_news++;
#ifdef POOL
	static char *chunk, *next;
	if (chunk == nullptr)
		next = chunk = static_cast<char *>(std::aligned_alloc(256, 1 << 16));
	char *p = next;
	next += (size + 255) / 256 * 256;
	return next - chunk <= 1 << 16 ? p : nullptr;
#elif defined ALLOCATOR && !defined OUTSIDE
	return alignment == 0 ? __libc_malloc(size) : __libc_memalign(alignment, size);
#else
	return alignment == 0 ? std::malloc(size) : std::aligned_alloc(alignment, size);
#endif
}

static void give(void *p)
{
	own_deletes += p != nullptr;
#ifdef POOL
	(void)p;
#elif defined ALLOCATOR && !defined OUTSIDE
	__libc_free(p);
#else
	std::free(p);
#endif
}

static void *take_or_throw(size_t size, size_t alignment)
{
	for (;;) {
		if (void *p = take(size, alignment))
			return p;
		std::new_handler handler = std::get_new_handler();
		if (handler == nullptr)
			throw std::bad_alloc();
		handler();
	}
}

void *operator new(size_t size) { return take_or_throw(size, 0); }
void operator delete(void *p) noexcept { give(p); }
void operator delete(void *p, size_t) noexcept { give(p); }

// The standard's other operators call these.
void *operator new(size_t size, std::align_val_t alignment) { return take_or_throw(size, size_t(alignment)); }
void operator delete(void *p, std::align_val_t) noexcept { give(p); }
void operator delete(void *p, size_t, std::align_val_t) noexcept { give(p); }
