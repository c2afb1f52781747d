/* The rest of malloc's family, large blocks, blocks of other threads' arenas, and freed ones. */
#define _GNU_SOURCE
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "trial.h"

enum { SIZE = 1000, LARGE = 300000, MOST = 1 << 14, KINDS = 6 };

static void *family_kept[KINDS][MOST], *volatile overwritten;

static void *aligned_by_posix(void)
{
	void *block = NULL;
	return posix_memalign(&block, 256, SIZE) == 0 ? block : NULL;
}

static void *resized(void)
{
	void *block = malloc(SIZE / 10);
	if (!block)
		return NULL;
	memset(block, 1, SIZE / 10);
	return realloc(block, SIZE);
}

static char text[SIZE];

static APART void *lost_realloc(void) { return COUNTED(resized(), SIZE); }
static APART void *kept_realloc(void) { return COUNTED(resized(), SIZE); }
static APART void *lost_memalign(void) { return COUNTED(memalign(128, SIZE), SIZE); }
static APART void *kept_memalign(void) { return COUNTED(memalign(128, SIZE), SIZE); }
static APART void *lost_posix_memalign(void) { return COUNTED(aligned_by_posix(), SIZE); }
static APART void *kept_posix_memalign(void) { return COUNTED(aligned_by_posix(), SIZE); }
static APART void *lost_aligned_alloc(void) { return COUNTED(aligned_alloc(64, SIZE + 24), SIZE + 24); }
static APART void *kept_aligned_alloc(void) { return COUNTED(aligned_alloc(64, SIZE + 24), SIZE + 24); }
static APART void *lost_calloc(void) { return COUNTED(calloc(SIZE / 10, 10), SIZE); }
static APART void *kept_calloc(void) { return COUNTED(calloc(SIZE / 10, 10), SIZE); }
static APART void *lost_strdup(void) { return COUNTED(strdup(text), SIZE); }
static APART void *kept_strdup(void) { return COUNTED(strdup(text), SIZE); }

static void *(*const losing[KINDS])(void) = {lost_realloc, lost_memalign, lost_posix_memalign, lost_aligned_alloc, lost_calloc, lost_strdup};
static void *(*const keeping[KINDS])(void) = {kept_realloc, kept_memalign, kept_posix_memalign, kept_aligned_alloc, kept_calloc, kept_strdup};

void family(void)
{
	memset(text, 'a', SIZE - 1);
	for (size_t i = 0; i < trial_number(SIZE) / 2 && i < MOST; i++) {
		for (int kind = 0; kind < KINDS; kind++) {
			overwritten = losing[kind]();
			family_kept[kind][i] = keeping[kind]();
		}
	}
	overwritten = NULL;
	trial_reads(family_kept);
	trial_held("kept_realloc", "global family_kept");
	trial_held("kept_memalign", "global family_kept");
	trial_held("kept_posix_memalign", "global family_kept");
	trial_held("kept_aligned_alloc", "global family_kept");
	trial_held("kept_calloc", "global family_kept");
	trial_held("kept_strdup", "global family_kept");
}

static void *large_kept[MOST];

static APART void *lost_large(void) { return COUNTED(malloc(LARGE), LARGE); }
static APART void *kept_large(void) { return COUNTED(malloc(LARGE), LARGE); }

void large(void)
{
	for (size_t i = 0; i < trial_number(LARGE) && i < MOST; i++) {
		overwritten = lost_large();
		large_kept[i] = kept_large();
	}
	overwritten = NULL;
	trial_reads(large_kept);
	trial_held("kept_large", "global large_kept");
}

static void *threads_kept[MOST];

static APART void *lost_in_threads_arena(void) { return COUNTED(malloc(SIZE), SIZE); }
static APART void *kept_in_threads_arena(void) { return COUNTED(malloc(SIZE), SIZE); }

static void fill_from_thread(void)
{
	for (size_t i = 0; i < trial_number(SIZE) && i < MOST; i++) {
		overwritten = lost_in_threads_arena();
		threads_kept[i] = kept_in_threads_arena();
	}
	overwritten = NULL;
}

void threads_arena(void)
{
	trial_thread_ends(fill_from_thread);
	trial_reads(threads_kept);
	trial_held("kept_in_threads_arena", "global threads_kept");
}

static void *freeing[MOST];

static APART void *freed_later(void) { return COUNTED(malloc(SIZE), SIZE); }
static APART void *lost_among_freed(void) { return COUNTED(malloc(SIZE), SIZE); }
static APART void *kept_among_freed(void) { return COUNTED(malloc(SIZE), SIZE); }

/* The pointers to the freed blocks stay. */
void freed(void)
{
	for (size_t i = 0; i < trial_number(SIZE) && i < MOST; i++) {
		freeing[i] = freed_later();
		overwritten = lost_among_freed();
		large_kept[i] = kept_among_freed();
	}
	overwritten = NULL;
	for (size_t i = 0; i < MOST && freeing[i]; i++) {
		free(freeing[i]);
		trial_uncounted("freed_later", SIZE);
	}
	trial_reads(large_kept);
	trial_held("kept_among_freed", "global large_kept");
}
