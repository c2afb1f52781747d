/* Ways to allocate from an allocator under names of its own: with the tags mimalloc, tcmalloc and jemalloc, each function of its
 * family. Those that resize a block begin with a small one, or a larger one, of which nothing may be left. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core.h"
#include "way.h"

#define SMALL WAY core_small

#ifndef CORE_TCMALLOC /* throws.cc */
int core_not_thrown(void)
{
	return 0;
}
#endif

static void *stored; /* by functions that store a block's address */

/* A text that takes size bytes. */
static inline char *text_of(size_t size)
{
	static char text[1 << 16];
	memset(text, 'x', sizeof text);
	text[size - 1] = 0;
	return text;
}

#if defined CORE_MIMALLOC

#include <mimalloc.h>

SMALL(size_t size)
{
	return kept(mi_malloc(size));
}

static unsigned short *wide_of(size_t size)
{
	unsigned short *text = (unsigned short *)text_of(size);
	text[size / 2 - 1] = 0;
	return text;
}

/* The list of variables grows before the recording: its size, which depends on the caller's variables, may be that of a site. */
__attribute__((constructor)) static void make_variable(void)
{
	setenv("CORE_TEXT", "", 1);
}

static void *from_environment(size_t size)
{
	if (setenv("CORE_TEXT", text_of(size), 1) != 0 || mi_dupenv_s((char **)&stored, NULL, "CORE_TEXT") != 0)
		return NULL;
	return stored;
}

/* Of a folder whose path takes size bytes. */
static char *path_of(size_t size)
{
	static char path[256];
	memset(path, 'x', size - 1);
	path[size - 1] = 0;
	path[snprintf(path, size, "/tmp/core-%d", getpid())] = 'x';
	int made = mkdir(path, 0700);
	char *found = mi_realpath(path, NULL);
	if (made == 0)
		rmdir(path);
	return found;
}

/* Newer versions of mimalloc have these; see brought_absent.c. */
void *mi_umalloc(size_t, size_t *), *mi_umalloc_small(size_t, size_t *), *mi_uzalloc(size_t, size_t *), *mi_uzalloc_small(size_t, size_t *);
void *mi_ucalloc(size_t, size_t, size_t *), *mi_umalloc_aligned(size_t, size_t, size_t *), *mi_uzalloc_aligned(size_t, size_t, size_t *);
void *mi_urealloc(void *, size_t, size_t *, size_t *);
void mi_free_small(void *), mi_ufree(void *, size_t *);

static size_t usable;

static int swapped(size_t size)
{
	stored = core_small(24);
	return mi_reallocarr(&stored, 1, size);
}

#define BROUGHT(W) \
	W(mi_malloc, mi_malloc(size), mi_free(p)) \
	W(mi_zalloc, mi_zalloc(size), mi_free_size(p, size)) \
	W(mi_calloc, mi_calloc(1, size), mi_cfree(p)) \
	W(mi_mallocn, mi_mallocn(2, size / 2), mi_free(p)) \
	W(mi_malloc_aligned, mi_malloc_aligned(size, 64), mi_free_aligned(p, 64)) \
	W(mi_malloc_aligned_at, mi_malloc_aligned_at(size, 64, 16), mi_free(p)) \
	W(mi_zalloc_aligned, mi_zalloc_aligned(size, 128), mi_free_size_aligned(p, size, 128)) \
	W(mi_zalloc_aligned_at, mi_zalloc_aligned_at(size, 64, 16), mi_free(p)) \
	W(mi_calloc_aligned, mi_calloc_aligned(1, size, 256), mi_free(p)) \
	W(mi_calloc_aligned_at, mi_calloc_aligned_at(1, size, 64, 16), mi_free(p)) \
	W(mi_memalign, mi_memalign(64, size), mi_free(p)) \
	W(mi_aligned_alloc, mi_aligned_alloc(64, size), mi_free(p)) \
	W(mi_valloc, mi_valloc(size), mi_free(p)) \
	W(mi_new, mi_new(size), mi_free(p)) \
	W(mi_new_n, mi_new_n(2, size / 2), mi_free(p)) \
	W(mi_new_nothrow, mi_new_nothrow(size), mi_free(p)) \
	W(mi_new_aligned, mi_new_aligned(size, 64), mi_free(p)) \
	W(mi_new_aligned_nothrow, mi_new_aligned_nothrow(size, 64), mi_free(p)) \
	W(mi_strdup, mi_strdup(text_of(size)), mi_free(p)) \
	W(mi_strndup, mi_strndup(text_of(size + 10), size - 1), mi_free(p)) \
	W(mi_mbsdup, mi_mbsdup((unsigned char *)text_of(size)), mi_free(p)) \
	W(mi_wcsdup, mi_wcsdup(wide_of(size)), mi_free(p)) \
	W(mi_dupenv_s, from_environment(size), mi_free(p)) \
	W(mi_posix_memalign, mi_posix_memalign(&stored, 64, size) == 0 ? stored : NULL, mi_free(p)) \
	W(mi_realloc, mi_realloc(core_small(24), size), mi_free(p)) \
	W(mi_reallocn, mi_reallocn(core_small(24), 2, size / 2), mi_free(p)) \
	W(mi_reallocarray, mi_reallocarray(core_small(24), 2, size / 2), mi_free(p)) \
	W(mi_reallocf, mi_reallocf(core_small(24), size), mi_free(p)) \
	W(mi_rezalloc, mi_rezalloc(core_small(24), size), mi_free(p)) \
	W(mi_recalloc, mi_recalloc(core_small(24), 2, size / 2), mi_free(p)) \
	W(mi_realloc_aligned, mi_realloc_aligned(core_small(24), size, 64), mi_free(p)) \
	W(mi_realloc_aligned_at, mi_realloc_aligned_at(NULL, size, 64, 16), mi_free(p)) \
	W(mi_rezalloc_aligned, mi_rezalloc_aligned(core_small(24), size, 64), mi_free(p)) \
	W(mi_rezalloc_aligned_at, mi_rezalloc_aligned_at(NULL, size, 64, 16), mi_free(p)) \
	W(mi_recalloc_aligned, mi_recalloc_aligned(core_small(24), 1, size, 64), mi_free(p)) \
	W(mi_recalloc_aligned_at, mi_recalloc_aligned_at(NULL, 1, size, 64, 16), mi_free(p)) \
	W(mi_expand, mi_expand(core_small(size + 8), size), mi_free(p)) \
	W(mi_new_realloc, mi_new_realloc(core_small(24), size), mi_free(p)) \
	W(mi_new_reallocn, mi_new_reallocn(core_small(24), 2, size / 2), mi_free(p)) \
	W(mi_reallocarr, swapped(size) == 0 ? stored : NULL, mi_free(p)) \
	W(mi_malloc_small, mi_malloc_small(size), mi_free_small(p)) \
	W(mi_zalloc_small, mi_zalloc_small(size), mi_free(p)) \
	W(mi_pvalloc, mi_pvalloc(size), mi_free(p)) \
	W(mi_realpath, path_of(size), mi_free(p)) \
	W(mi_aligned_recalloc, mi_aligned_recalloc(core_small(24), 2, size / 2, 64), mi_free(p)) \
	W(mi_aligned_offset_recalloc, mi_aligned_offset_recalloc(NULL, 2, size / 2, 64, 16), mi_free(p)) \
	W(mi__expand, mi__expand(core_small(size + 8), size), mi_free(p)) \
	W(mi_umalloc, mi_umalloc(size, &usable), mi_ufree(p, &usable)) \
	W(mi_umalloc_small, mi_umalloc_small(size, &usable), mi_free_small(p)) \
	W(mi_uzalloc, mi_uzalloc(size, &usable), mi_free(p)) \
	W(mi_uzalloc_small, mi_uzalloc_small(size, &usable), mi_free(p)) \
	W(mi_ucalloc, mi_ucalloc(2, size / 2, &usable), mi_free(p)) \
	W(mi_umalloc_aligned, mi_umalloc_aligned(size, 64, &usable), mi_free(p)) \
	W(mi_uzalloc_aligned, mi_uzalloc_aligned(size, 64, &usable), mi_free(p)) \
	W(mi_urealloc, mi_urealloc(core_small(24), size, &usable, &usable), mi_free(p))

#elif defined CORE_TCMALLOC

void *tc_aligned_alloc(size_t, size_t), *tc_pvalloc(size_t);
void tc_free_aligned_sized(void *, size_t, size_t);
void *tc_malloc(size_t), *tc_malloc_skip_new_handler(size_t), *tc_calloc(size_t, size_t), *tc_memalign(size_t, size_t), *tc_valloc(size_t);
void *tc_new(size_t), *tc_new_nothrow(size_t, const void *), *tc_new_aligned(size_t, size_t);
void *tc_new_aligned_nothrow(size_t, size_t, const void *), *tc_newarray(size_t), *tc_newarray_nothrow(size_t, const void *);
void *tc_newarray_aligned(size_t, size_t), *tc_newarray_aligned_nothrow(size_t, size_t, const void *), *tc_realloc(void *, size_t);
int tc_posix_memalign(void **, size_t, size_t);
void tc_free(void *), tc_free_sized(void *, size_t), tc_cfree(void *), tc_delete(void *), tc_delete_sized(void *, size_t);
void tc_delete_nothrow(void *, const void *), tc_delete_aligned(void *, size_t), tc_delete_sized_aligned(void *, size_t, size_t);
void tc_delete_aligned_nothrow(void *, size_t, const void *), tc_deletearray(void *), tc_deletearray_sized(void *, size_t);
void tc_deletearray_nothrow(void *, const void *), tc_deletearray_aligned(void *, size_t);
void tc_deletearray_sized_aligned(void *, size_t, size_t), tc_deletearray_aligned_nothrow(void *, size_t, const void *);

SMALL(size_t size)
{
	return kept(tc_malloc(size));
}

#define BROUGHT(W) \
	W(tc_malloc, tc_malloc(size), tc_free(p)) \
	W(tc_malloc_skip_new_handler, tc_malloc_skip_new_handler(size), tc_free_sized(p, size)) \
	W(tc_calloc, tc_calloc(1, size), tc_cfree(p)) \
	W(tc_memalign, tc_memalign(64, size), tc_free(p)) \
	W(tc_valloc, tc_valloc(size), tc_free(p)) \
	W(tc_new, tc_new(size), tc_delete(p)) \
	W(tc_new_nothrow, tc_new_nothrow(size, &stored), tc_delete_nothrow(p, &stored)) \
	W(tc_new_aligned, tc_new_aligned(size, 64), tc_delete_aligned(p, 64)) \
	W(tc_new_aligned_nothrow, tc_new_aligned_nothrow(size, 64, &stored), tc_delete_aligned_nothrow(p, 64, &stored)) \
	W(tc_newarray, tc_newarray(size), tc_deletearray(p)) \
	W(tc_newarray_nothrow, tc_newarray_nothrow(size, &stored), tc_deletearray_nothrow(p, &stored)) \
	W(tc_newarray_aligned, tc_newarray_aligned(size, 64), tc_deletearray_aligned(p, 64)) \
	W(tc_newarray_aligned_nothrow, tc_newarray_aligned_nothrow(size, 64, &stored), tc_deletearray_aligned_nothrow(p, 64, &stored)) \
	W(tc_new_sized, tc_new(size), tc_delete_sized(p, size)) \
	W(tc_newarray_sized, tc_newarray(size), tc_deletearray_sized(p, size)) \
	W(tc_new_sized_aligned, tc_new_aligned(size, 64), tc_delete_sized_aligned(p, size, 64)) \
	W(tc_newarray_sized_aligned, tc_newarray_aligned(size, 64), tc_deletearray_sized_aligned(p, size, 64)) \
	W(tc_posix_memalign, tc_posix_memalign(&stored, 64, size) == 0 ? stored : NULL, tc_free(p)) \
	W(tc_realloc, tc_realloc(core_small(24), size), tc_free(p)) \
	W(tc_aligned_alloc, tc_aligned_alloc(64, size), tc_free_aligned_sized(p, 64, size)) \
	W(tc_pvalloc, tc_pvalloc(size), tc_free(p))

#elif defined CORE_JEMALLOC

void *je_malloc(size_t), *je_calloc(size_t, size_t), *je_memalign(size_t, size_t), *je_aligned_alloc(size_t, size_t), *je_valloc(size_t);
void *je_mallocx(size_t, int), *je_realloc(void *, size_t), *je_rallocx(void *, size_t, int);
size_t je_xallocx(void *, size_t, size_t, int);
int je_posix_memalign(void **, size_t, size_t);
void *je_pvalloc(size_t), *je_reallocarray(void *, size_t, size_t);
void je_cfree(void *), je_free_sized(void *, size_t), je_free_aligned_sized(void *, size_t, size_t);
void je_free(void *), je_dallocx(void *, int), je_sdallocx(void *, size_t, int);

SMALL(size_t size)
{
	return kept(je_malloc(size));
}

static void *in_place(size_t size)
{
	void *p = core_small(size + 8);
	return je_xallocx(p, size, 0, 0) >= size ? p : NULL;
}

#define BROUGHT(W) \
	W(je_malloc, je_malloc(size), je_free(p)) \
	W(je_calloc, je_calloc(1, size), je_dallocx(p, 0)) \
	W(je_memalign, je_memalign(64, size), je_free(p)) \
	W(je_aligned_alloc, je_aligned_alloc(64, size), je_free(p)) \
	W(je_valloc, je_valloc(size), je_free(p)) \
	W(je_mallocx, je_mallocx(size, 0), je_sdallocx(p, size, 0)) \
	W(je_posix_memalign, je_posix_memalign(&stored, 64, size) == 0 ? stored : NULL, je_free(p)) \
	W(je_realloc, je_realloc(core_small(24), size), je_free(p)) \
	W(je_rallocx, je_rallocx(core_small(24), size, 0), je_free(p)) \
	W(je_xallocx, in_place(size), je_free(p)) \
	W(je_pvalloc, je_pvalloc(size), je_free_sized(p, size)) \
	W(je_reallocarray, je_reallocarray(core_small(24), 2, size / 2), je_cfree(p)) \
	W(je_aligned_freed, je_aligned_alloc(64, size), je_free_aligned_sized(p, 64, size))

#endif

#ifdef BROUGHT

#define FUNCTIONS(name, allocation, release) \
	WAY core_##name(size_t size) \
	{ \
		return kept(allocation); \
	} \
	static void undo_##name(void *p, size_t size) \
	{ \
		(void)size; \
		release; \
	}
BROUGHT(FUNCTIONS)

const struct way *core_brought_way(int way)
{
#define ROW(name, allocation, release) {"core_" #name, core_##name, undo_##name},
	static const struct way ways[] = {BROUGHT(ROW)};
	return way < (int)(sizeof ways / sizeof *ways) ? &ways[way] : NULL;
}

#else

const struct way *core_brought_way(int way)
{
	(void)way;
	return NULL;
}

#endif
