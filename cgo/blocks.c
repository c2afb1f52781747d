//go:build linux && (amd64 || arm64) && cgo && !asan && !msan && !cgoheap_wrap

// Small blocks are blocks_small.c's. A large block is a mapping of its own.
//
//	small                            │ header │ for the program │
//	aligned      │ header │ unused   │ header │ for the program │    the second header leads to the first
//	large        │ unused            │ header │ for the program │    the header leads to the start of the mapping

#define _GNU_SOURCE
#include "blocks.h"

#include <stdint.h>

#include "blocks_pages.h"
#include "blocks_small.h"

#define ALIGN SMALL_ALIGN
#define LARGE UINT32_MAX
#define MOST (1ULL << 47)           // more than there are addresses
#define MOST_ALIGNMENT (1ULL << 35) // so that back has room
#define WHOLE (64ULL << 10)         // mappings are multiples of it: whole pages on every machine

struct header {
	uint64_t length; // of the mapping, if the block is large
	uint32_t class;  // the number of its size, or LARGE
	uint32_t back;   // from the block's start to this header, in units of ALIGN
};

_Static_assert(sizeof(struct header) == ALIGN && offsetof(struct header, class) == SMALL_CLASS_AT, "a small block begins with its class");

static struct header *header_of(void *p)
{
	return (struct header *)((char *)p - sizeof(struct header));
}

static char *start_of(struct header *h)
{
	return (char *)h - (size_t)h->back * ALIGN;
}

static void *align(void *p, size_t alignment)
{
	return alignment <= ALIGN ? p : (void *)(((uintptr_t)p + alignment - 1) & ~(alignment - 1));
}

// The most that lies unused before an aligned block.
static size_t unused_by(size_t alignment)
{
	return alignment <= ALIGN ? 0 : alignment;
}

// The header before p, which belongs to a block that begins at start.
static struct header *lead(char *p, char *start, uint32_t class)
{
	struct header *h = header_of(p);
	h->class = class;
	h->back = (uint32_t)(((char *)h - start) / ALIGN);
	return h;
}

static void *allocate_small(size_t alignment, uint32_t class)
{
	char *start = small_take(class);
	if (start == NULL)
		return NULL;
	char *p = align(start + sizeof(struct header), alignment);
	lead(p, start, class);
	return p;
}

static size_t whole(size_t n)
{
	return (n + WHOLE - 1) & ~(WHOLE - 1);
}

// What the alignment has left over is unmapped, before the block and after it; if it cannot be, it stays a part of the block.
static void *allocate_large(size_t alignment, size_t size)
{
	size_t length = whole(sizeof(struct header) + unused_by(alignment) + size);
	char *start = pages_map(length);
	if (start == NULL)
		return NULL;
	char *p = align(start + sizeof(struct header), alignment);
	size_t before = (size_t)((char *)header_of(p) - start) & ~(WHOLE - 1);
	if (pages_unmap(start, before)) {
		start += before;
		length -= before;
	}
	size_t needed = whole((size_t)(p + size - start));
	if (pages_unmap(start + needed, length - needed))
		length = needed;
	lead(p, start, LARGE)->length = length;
	return p;
}

void *blocks_allocate(size_t alignment, size_t size)
{
	if (size > MOST || alignment > MOST_ALIGNMENT)
		return NULL;
	size_t bytes = sizeof(struct header) + unused_by(alignment) + size;
	void *p = bytes <= SMALL_MOST ? allocate_small(alignment, small_class(bytes)) : NULL;
	return p != NULL ? p : allocate_large(alignment, size); // a small one too, where there is no room for a chunk
}

// Neither of the two is libc's function, which may not be relocated yet.
typedef uint64_t __attribute__((may_alias)) word;

static void clear(volatile word *to, size_t size)
{
	for (size_t i = 0; i < (size + 7) / 8; i++)
		to[i] = 0;
}

static void copy(volatile word *to, const word *from, size_t size)
{
	for (size_t i = 0; i < (size + 7) / 8; i++)
		to[i] = from[i];
}

void *blocks_allocate_zeroed(size_t size)
{
	void *p = blocks_allocate(ALIGN, size);
	if (p != NULL && header_of(p)->class != LARGE)
		clear(p, size);
	return p;
}

size_t blocks_size(void *p)
{
	struct header *h = header_of(p);
	size_t length = h->class == LARGE ? h->length : small_size(h->class);
	return length - (size_t)((char *)p - start_of(h));
}

// Where the memory cannot be unmapped, because there are too many mappings, it is at least returned.
static void free_large(struct header *h)
{
	char *start = start_of(h);
	size_t length = h->length;
	if (!pages_unmap(start, length))
		system_call(SYS_madvise, (long)start, (long)length, MADV_DONTNEED, 0); // there is nothing left to try
}

void blocks_free(void *p)
{
	struct header *h = header_of(p);
	if (h->class == LARGE)
		free_large(h);
	else
		small_give(start_of(h));
}

// Moves pages instead of bytes. NULL if the kernel does not.
static void *resize_large(struct header *h, size_t size)
{
	size_t before = (size_t)((char *)(h + 1) - start_of(h)), length = whole(before + size);
	long at = system_call6(SYS_mremap, (long)start_of(h), (long)h->length, (long)length, MREMAP_MAYMOVE, 0, 0);
	if (at < 0 && at >= -4095)
		return NULL;
	header_of((char *)at + before)->length = length;
	return (char *)at + before;
}

void *blocks_resize(void *p, size_t size)
{
	size_t had = blocks_size(p);
	if (size <= had && size >= had / 2)
		return p;
	if (size > MOST)
		return NULL;
	void *fresh = header_of(p)->class == LARGE && size > SMALL_MOST ? resize_large(header_of(p), size) : NULL;
	if (fresh != NULL)
		return fresh;
	fresh = blocks_allocate(ALIGN, size);
	if (fresh == NULL)
		return size <= had ? p : NULL;
	copy(fresh, p, size < had ? size : had);
	blocks_free(p);
	return fresh;
}
