#define _GNU_SOURCE
#include <ftw.h>
#include <pthread.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>

#include "victim.h"
#include "walk.h"

static int compare(const void *a, const void *b)
{
	victim_walk_both();
	return *(const int *)a - *(const int *)b;
}

static int compare_with(const void *a, const void *b, void *sign)
{
	victim_walk_both();
	return (*(const int *)a - *(const int *)b) * *(const int *)sign;
}

VICTIM_SITE void victim_walk_from_qsort(void)
{
	int numbers[] = {5, 3, 8, 1, 9, 2, 7};
	qsort(numbers, 7, sizeof *numbers, compare);
	VICTIM_USE(numbers);
}

VICTIM_SITE void victim_walk_from_qsort_r(void)
{
	int numbers[] = {5, 3, 8, 1, 9, 2, 7}, sign = -1;
	qsort_r(numbers, 7, sizeof *numbers, compare_with, &sign);
	VICTIM_USE(numbers);
}

VICTIM_SITE void victim_walk_from_bsearch(void)
{
	int numbers[] = {1, 2, 3, 5, 7, 8, 9}, key = 8;
	void *found = bsearch(&key, numbers, 7, sizeof *numbers, compare);
	VICTIM_USE(found);
}

VICTIM_SITE void victim_walk_from_tsearch(void)
{
	int numbers[] = {5, 3, 8, 1, 9, 2, 7};
	void *root = NULL;
	for (int i = 0; i < 7; i++)
		tsearch(&numbers[i], &root, compare);
	for (int i = 0; i < 7; i++)
		tdelete(&numbers[i], &root, compare);
	VICTIM_USE(root);
}

static void visit(const void *node, VISIT order, int depth)
{
	(void)node, (void)order, (void)depth;
	victim_walk_both();
}

VICTIM_SITE void victim_walk_from_twalk(void)
{
	int numbers[] = {5, 3, 8};
	void *root = NULL;
	for (int i = 0; i < 3; i++)
		tsearch(&numbers[i], &root, compare);
	victim_walks_forget();
	twalk(root, visit);
	for (int i = 0; i < 3; i++)
		tdelete(&numbers[i], &root, compare);
	VICTIM_USE(root);
}

VICTIM_SITE void victim_walk_from_once(void)
{
	pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, victim_walk_both);
	VICTIM_USE(&once);
}

static int entry(const char *path, const struct stat *status, int type, struct FTW *at)
{
	(void)path, (void)status, (void)type, (void)at;
	victim_walk_both();
	return 1;
}

VICTIM_SITE void victim_walk_from_nftw(void)
{
	int result = nftw("/proc/self/task", entry, 4, FTW_PHYS);
	VICTIM_USE(&result);
}

static ssize_t write_stream(void *cookie, const char *text, size_t length)
{
	(void)cookie, (void)text;
	victim_walk_both();
	return (ssize_t)length;
}

/* printf with a floating point number, into a stream without a buffer: libc's largest frames. */
VICTIM_SITE void victim_walk_from_printf(void)
{
	cookie_io_functions_t functions = {.write = write_stream};
	FILE *stream = fopencookie(NULL, "w", functions);
	if (!stream)
		return;
	setvbuf(stream, NULL, _IONBF, 0);
	fprintf(stream, "%s %.30Lf %d\n", "text", 1.5L, 42);
	fclose(stream);
	VICTIM_USE(&functions);
}

static void *thread_body(void *argument)
{
	victim_walk_both();
	VICTIM_USE(argument);
	return NULL;
}

VICTIM_SITE void victim_walk_from_thread(void)
{
	pthread_t thread;
	if (pthread_create(&thread, NULL, thread_body, NULL) == 0)
		pthread_join(thread, NULL);
	VICTIM_USE(&thread);
}
