// A recording into a file, and files of the program's that are too short.
#ifndef BOXES_H
#define BOXES_H

#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../box.h"
#include "totals.h"

enum { SIZE = 64 << 20, PAGE = 4096 };

static int file = -1;
static char name[64];

static inline struct region_file open_file(void)
{
	struct stat s;
	if (file >= 0)
		close(file);
	unlink(name);
	strcpy(name, "/dev/shm/cgoheap-box-XXXXXX");
	file = mkstemp(name);
	check(file >= 0 && ftruncate(file, SIZE) == 0 && fstat(file, &s) == 0);
	void *pages = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	check(pages != MAP_FAILED);
	return (struct region_file){(uintptr_t)pages, name, s.st_dev, s.st_ino};
}

static inline void remove_file(void)
{
	unlink(name);
}

static inline void start_in_file(uint64_t sample_bytes)
{
	struct options o = {.file = open_file(), .table_bytes = SIZE, .sample_bytes = sample_bytes, .seed = 1, .max_depth = 64};
	check(cgoheap_prepare(&o) == 0);
	check(box_state() == BOX_WHOLE);
	cgoheap_start();
}

// A page of a file of the program's that cannot be had.
static inline char *bad_page(void)
{
	int empty = memfd_create("empty", 0);
	char *at = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, empty, 0);
	check(at != MAP_FAILED);
	close(empty);
	return at;
}

#endif
