// The functions of allocators that libraries bring along: what each kind of allocator exports under a prefix. brought.h makes a
// hook from each row, and cgo's test makes the linker's flags (family_test.go). A row says what the function does with blocks, how,
// its result, its name, its parameters, the arguments with which its hook passes them on, and the size of the block. A function
//
//	GIVES    returns a block
//	COPIES   returns a block, whose size is known only then: it is a copy of a text
//	STORES   stores a block's address, and returns an errno
//	TRIES    returns a block, or throws an exception
//	RESIZES  takes a block and returns one; if it fails, it returns NULL, and the block stays
//	EMPTIES  does so too, but for a size of 0 it may free the block and return NULL
//	DROPS    does so too, but if it fails, the block is freed
//	SWAPS    takes the address of a pointer to a block, stores the new one there, and returns an errno
//	FITS     resizes a block in place, to at least that size, and returns how large it is then
//	TAKES    takes a block and returns none
//
// and it works
//
//	ALONE    calls no other function in this list through the linker; a C++ exception may pass its hook
//	NESTS    may call others, in other object files; it throws no exception
//
// A function of TRIES may do both. It has the name of another function there, which the hook calls first: that one is like it, but
// returns NULL where it would throw.
//
// Functions that take a heap (mi_heap_malloc) are absent, because mi_heap_destroy frees blocks that nobody names. So are those that
// only return a size.
#ifndef CGOHEAP_FAMILY_BROUGHT_H
#define CGOHEAP_FAMILY_BROUGHT_H

#define FAMILY_JEMALLOC(X) \
	X(GIVES, ALONE, void *, malloc, (size_t size), (size), size) \
	X(GIVES, ALONE, void *, calloc, (size_t count, size_t size), (count, size), product(count, size)) \
	X(GIVES, ALONE, void *, memalign, (size_t alignment, size_t size), (alignment, size), size) \
	X(GIVES, ALONE, void *, aligned_alloc, (size_t alignment, size_t size), (alignment, size), size) \
	X(GIVES, ALONE, void *, valloc, (size_t size), (size), size) \
	X(GIVES, ALONE, void *, pvalloc, (size_t size), (size), whole_pages(size)) \
	X(GIVES, ALONE, void *, mallocx, (size_t size, int flags), (size, flags), size) \
	X(STORES, ALONE, int, posix_memalign, (void **to, size_t alignment, size_t size), (to, alignment, size), size) \
	X(EMPTIES, ALONE, void *, realloc, (void *p, size_t size), (p, size), size) \
	X(EMPTIES, ALONE, void *, reallocarray, (void *p, size_t count, size_t size), (p, count, size), product(count, size)) \
	X(RESIZES, ALONE, void *, rallocx, (void *p, size_t size, int flags), (p, size, flags), size) \
	X(FITS, ALONE, size_t, xallocx, (void *p, size_t size, size_t extra, int flags), (p, size, extra, flags), size) \
	X(TAKES, ALONE, void, free, (void *p), (p), 0) \
	X(TAKES, ALONE, void, cfree, (void *p), (p), 0) \
	X(TAKES, ALONE, void, free_sized, (void *p, size_t size), (p, size), 0) \
	X(TAKES, ALONE, void, free_aligned_sized, (void *p, size_t alignment, size_t size), (p, alignment, size), 0) \
	X(TAKES, ALONE, void, dallocx, (void *p, int flags), (p, flags), 0) \
	X(TAKES, ALONE, void, sdallocx, (void *p, size_t size, int flags), (p, size, flags), 0)

#define FAMILY_TCMALLOC(X) \
	X(GIVES, ALONE, void *, malloc, (size_t size), (size), size) \
	X(GIVES, ALONE, void *, malloc_skip_new_handler, (size_t size), (size), size) \
	X(GIVES, ALONE, void *, calloc, (size_t count, size_t size), (count, size), product(count, size)) \
	X(GIVES, ALONE, void *, memalign, (size_t alignment, size_t size), (alignment, size), size) \
	X(GIVES, ALONE, void *, aligned_alloc, (size_t alignment, size_t size), (alignment, size), size) \
	X(GIVES, ALONE, void *, valloc, (size_t size), (size), size) \
	X(GIVES, ALONE, void *, pvalloc, (size_t size), (size), whole_pages(size)) \
	X(GIVES, ALONE, void *, new, (size_t size), (size), size) \
	X(GIVES, ALONE, void *, new_nothrow, (size_t size, const void *nothrow), (size, nothrow), size) \
	X(GIVES, ALONE, void *, new_aligned, (size_t size, size_t alignment), (size, alignment), size) \
	X(GIVES, ALONE, void *, new_aligned_nothrow, (size_t size, size_t alignment, const void *nothrow), (size, alignment, nothrow), size) \
	X(GIVES, ALONE, void *, newarray, (size_t size), (size), size) \
	X(GIVES, ALONE, void *, newarray_nothrow, (size_t size, const void *nothrow), (size, nothrow), size) \
	X(GIVES, ALONE, void *, newarray_aligned, (size_t size, size_t alignment), (size, alignment), size) \
	X(GIVES, ALONE, void *, newarray_aligned_nothrow, (size_t size, size_t alignment, const void *nothrow), (size, alignment, nothrow), size) \
	X(STORES, ALONE, int, posix_memalign, (void **to, size_t alignment, size_t size), (to, alignment, size), size) \
	X(EMPTIES, ALONE, void *, realloc, (void *p, size_t size), (p, size), size) \
	X(TAKES, ALONE, void, free, (void *p), (p), 0) \
	X(TAKES, ALONE, void, free_sized, (void *p, size_t size), (p, size), 0) \
	X(TAKES, ALONE, void, free_aligned_sized, (void *p, size_t alignment, size_t size), (p, alignment, size), 0) \
	X(TAKES, ALONE, void, cfree, (void *p), (p), 0) \
	X(TAKES, ALONE, void, delete, (void *p), (p), 0) \
	X(TAKES, ALONE, void, delete_sized, (void *p, size_t size), (p, size), 0) \
	X(TAKES, ALONE, void, delete_nothrow, (void *p, const void *nothrow), (p, nothrow), 0) \
	X(TAKES, ALONE, void, delete_aligned, (void *p, size_t alignment), (p, alignment), 0) \
	X(TAKES, ALONE, void, delete_sized_aligned, (void *p, size_t size, size_t alignment), (p, size, alignment), 0) \
	X(TAKES, ALONE, void, delete_aligned_nothrow, (void *p, size_t alignment, const void *nothrow), (p, alignment, nothrow), 0) \
	X(TAKES, ALONE, void, deletearray, (void *p), (p), 0) \
	X(TAKES, ALONE, void, deletearray_sized, (void *p, size_t size), (p, size), 0) \
	X(TAKES, ALONE, void, deletearray_nothrow, (void *p, const void *nothrow), (p, nothrow), 0) \
	X(TAKES, ALONE, void, deletearray_aligned, (void *p, size_t alignment), (p, alignment), 0) \
	X(TAKES, ALONE, void, deletearray_sized_aligned, (void *p, size_t size, size_t alignment), (p, size, alignment), 0) \
	X(TAKES, ALONE, void, deletearray_aligned_nothrow, (void *p, size_t alignment, const void *nothrow), (p, alignment, nothrow), 0)

#define FAMILY_MIMALLOC(X) \
	X(GIVES, ALONE, void *, malloc, (size_t size), (size), size) \
	X(GIVES, ALONE, void *, malloc_small, (size_t size), (size), size) \
	X(GIVES, ALONE, void *, zalloc, (size_t size), (size), size) \
	X(GIVES, ALONE, void *, zalloc_small, (size_t size), (size), size) \
	X(GIVES, ALONE, void *, calloc, (size_t count, size_t size), (count, size), product(count, size)) \
	X(GIVES, ALONE, void *, mallocn, (size_t count, size_t size), (count, size), product(count, size)) \
	X(GIVES, NESTS, void *, umalloc, (size_t size, size_t *usable), (size, usable), size) \
	X(GIVES, NESTS, void *, umalloc_small, (size_t size, size_t *usable), (size, usable), size) \
	X(GIVES, NESTS, void *, uzalloc, (size_t size, size_t *usable), (size, usable), size) \
	X(GIVES, NESTS, void *, uzalloc_small, (size_t size, size_t *usable), (size, usable), size) \
	X(GIVES, NESTS, void *, ucalloc, (size_t count, size_t size, size_t *usable), (count, size, usable), product(count, size)) \
	X(GIVES, NESTS, void *, umalloc_aligned, (size_t size, size_t alignment, size_t *usable), (size, alignment, usable), size) \
	X(GIVES, NESTS, void *, uzalloc_aligned, (size_t size, size_t alignment, size_t *usable), (size, alignment, usable), size) \
	X(GIVES, NESTS, void *, malloc_aligned, (size_t size, size_t alignment), (size, alignment), size) \
	X(GIVES, NESTS, void *, malloc_aligned_at, (size_t size, size_t alignment, size_t offset), (size, alignment, offset), size) \
	X(GIVES, NESTS, void *, zalloc_aligned, (size_t size, size_t alignment), (size, alignment), size) \
	X(GIVES, NESTS, void *, zalloc_aligned_at, (size_t size, size_t alignment, size_t offset), (size, alignment, offset), size) \
	X(GIVES, NESTS, void *, calloc_aligned, (size_t count, size_t size, size_t alignment), (count, size, alignment), product(count, size)) \
	X(GIVES, NESTS, void *, calloc_aligned_at, (size_t count, size_t size, size_t alignment, size_t offset), (count, size, alignment, offset), product(count, size)) \
	X(GIVES, NESTS, void *, memalign, (size_t alignment, size_t size), (alignment, size), size) \
	X(GIVES, NESTS, void *, aligned_alloc, (size_t alignment, size_t size), (alignment, size), size) \
	X(GIVES, NESTS, void *, valloc, (size_t size), (size), size) \
	X(GIVES, NESTS, void *, pvalloc, (size_t size), (size), whole_pages(size)) \
	X(GIVES, ALONE, void *, new, (size_t size), (size), size) \
	X(GIVES, ALONE, void *, new_n, (size_t count, size_t size), (count, size), product(count, size)) \
	X(GIVES, ALONE, void *, new_nothrow, (size_t size), (size), size) \
	X(TRIES, malloc_aligned, void *, new_aligned, (size_t size, size_t alignment), (size, alignment), size) \
	X(TRIES, malloc_aligned, void *, new_aligned_nothrow, (size_t size, size_t alignment), (size, alignment), size) \
	X(COPIES, NESTS, char *, strdup, (const char *text), (text), strlen(made) + 1) \
	X(COPIES, NESTS, char *, strndup, (const char *text, size_t most), (text, most), strlen(made) + 1) \
	X(COPIES, NESTS, unsigned char *, mbsdup, (const unsigned char *text), (text), strlen((const char *)made) + 1) \
	X(COPIES, NESTS, unsigned short *, wcsdup, (const unsigned short *text), (text), wide_length(made)) \
	X(COPIES, NESTS, char *, realpath, (const char *path, char *resolved), (path, resolved), resolved != NULL ? NO_BLOCK : strlen(made) + 1) \
	X(STORES, NESTS, int, posix_memalign, (void **to, size_t alignment, size_t size), (to, alignment, size), size) \
	X(STORES, NESTS, int, dupenv_s, (char **to, size_t *size, const char *name), (to, size, name), strlen(*to) + 1) \
	X(RESIZES, ALONE, void *, realloc, (void *p, size_t size), (p, size), size) \
	X(RESIZES, NESTS, void *, reallocn, (void *p, size_t count, size_t size), (p, count, size), product(count, size)) \
	X(RESIZES, NESTS, void *, reallocarray, (void *p, size_t count, size_t size), (p, count, size), product(count, size)) \
	X(RESIZES, NESTS, void *, rezalloc, (void *p, size_t size), (p, size), size) \
	X(RESIZES, NESTS, void *, recalloc, (void *p, size_t count, size_t size), (p, count, size), product(count, size)) \
	X(RESIZES, NESTS, void *, realloc_aligned, (void *p, size_t size, size_t alignment), (p, size, alignment), size) \
	X(RESIZES, NESTS, void *, realloc_aligned_at, (void *p, size_t size, size_t alignment, size_t offset), (p, size, alignment, offset), size) \
	X(RESIZES, NESTS, void *, rezalloc_aligned, (void *p, size_t size, size_t alignment), (p, size, alignment), size) \
	X(RESIZES, NESTS, void *, rezalloc_aligned_at, (void *p, size_t size, size_t alignment, size_t offset), (p, size, alignment, offset), size) \
	X(RESIZES, NESTS, void *, recalloc_aligned, (void *p, size_t count, size_t size, size_t alignment), (p, count, size, alignment), product(count, size)) \
	X(RESIZES, NESTS, void *, recalloc_aligned_at, (void *p, size_t count, size_t size, size_t alignment, size_t offset), (p, count, size, alignment, offset), product(count, size)) \
	X(RESIZES, NESTS, void *, aligned_recalloc, (void *p, size_t count, size_t size, size_t alignment), (p, count, size, alignment), product(count, size)) \
	X(RESIZES, NESTS, void *, aligned_offset_recalloc, (void *p, size_t count, size_t size, size_t alignment, size_t offset), (p, count, size, alignment, offset), product(count, size)) \
	X(RESIZES, NESTS, void *, expand, (void *p, size_t size), (p, size), size) \
	X(RESIZES, NESTS, void *, _expand, (void *p, size_t size), (p, size), size) \
	X(RESIZES, ALONE, void *, new_realloc, (void *p, size_t size), (p, size), size) \
	X(RESIZES, ALONE, void *, new_reallocn, (void *p, size_t count, size_t size), (p, count, size), product(count, size)) \
	X(RESIZES, NESTS, void *, urealloc, (void *p, size_t size, size_t *before, size_t *after), (p, size, before, after), size) \
	X(DROPS, NESTS, void *, reallocf, (void *p, size_t size), (p, size), size) \
	X(SWAPS, NESTS, int, reallocarr, (void *at, size_t count, size_t size), (at, count, size), product(count, size)) \
	X(TAKES, ALONE, void, free, (void *p), (p), 0) \
	X(TAKES, NESTS, void, cfree, (void *p), (p), 0) \
	X(TAKES, ALONE, void, free_small, (void *p), (p), 0) \
	X(TAKES, ALONE, void, ufree, (void *p, size_t *usable), (p, usable), 0) \
	X(TAKES, NESTS, void, free_size, (void *p, size_t size), (p, size), 0) \
	X(TAKES, NESTS, void, free_aligned, (void *p, size_t alignment), (p, alignment), 0) \
	X(TAKES, NESTS, void, free_size_aligned, (void *p, size_t size, size_t alignment), (p, size, alignment), 0)

#endif
