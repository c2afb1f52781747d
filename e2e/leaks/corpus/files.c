/* A file that grows, and is mapped anew each time, so that it moves; and a library of which each use opens a copy under a path of its own. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "trial.h"

enum { SIZE = 1000, COPIES = 12, PAGE = 4096, EACH = PAGE / sizeof(void *) };

/* A name in the folder of the program, which is removed when all cases have been run. */
static void beside_program(char *path, const char *suffix)
{
	ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 100);
	if (length < 0)
		abort();
	sprintf(path + length, ".%d.%s", getpid(), suffix);
}

static APART void *kept_by_record(void) { return COUNTED(malloc(SIZE), SIZE); }
static APART void *lost_with_record(void) { return COUNTED(malloc(SIZE), SIZE); }

static void **volatile records;

void growing_file(void)
{
	char path[PATH_MAX];
	beside_program(path, "records");
	FILE *file = fopen(path, "w+");
	if (!file)
		abort();
	void **mapped = NULL;
	for (size_t at = 0, room = 0; at < 2 * trial_number(SIZE); at += 2) {
		if (at == room) {
			room += EACH;
			if (ftruncate(fileno(file), (off_t)(room * sizeof(void *))) != 0)
				abort();
			mapped = mapped ? mremap(mapped, (room - EACH) * sizeof(void *), room * sizeof(void *), MREMAP_MAYMOVE)
					: mmap(NULL, room * sizeof(void *), PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0);
			if (mapped == MAP_FAILED)
				abort();
			records = mapped;
		}
		mapped[at] = kept_by_record();
		mapped[at + 1] = lost_with_record();
		mapped[at + 1] = NULL;
	}
	unlink(path);
	trial_held("kept_by_record", "mapped by growing_file|\\.records|shared memory");
	trial_told("kept_by_record", "^`kept_by_record` .* reachable from ");
	trial_told("lost_with_record", "^`lost_with_record` .* no pointer found to 100 %: lost, or its pointers are hidden$");
}

static const char source[] = "#include <stdlib.h>\n"
	"void *kept_by_plugin(size_t size) { void *volatile block = malloc(size); return block; }\n"
	"void *lost_by_plugin(size_t size) { void *volatile block = malloc(size); return block; }\n";

typedef void *maker(size_t);

static maker *function_of(void *library, const char *name)
{
	maker *found;
	*(void **)&found = dlsym(library, name);
	if (!found)
		abort();
	return found;
}

static void shell(const char *format, const char *a, const char *b)
{
	char line[3 * PATH_MAX];
	snprintf(line, sizeof line, format, a, b);
	if (system(line) != 0)
		abort();
}

enum { MOST = 1 << 15 };

static void *volatile plugins_kept[MOST], *volatile forgotten;

static void use(void *library, size_t from, size_t to)
{
	maker *keep = function_of(library, "kept_by_plugin"), *lose = function_of(library, "lost_by_plugin");
	for (size_t i = from; i < to; i++) {
		plugins_kept[i] = trial_counted("kept_by_plugin", keep(SIZE), SIZE);
		forgotten = trial_counted("lost_by_plugin", lose(SIZE), SIZE);
	}
	forgotten = NULL;
}

void copied_library(void)
{
	char path[PATH_MAX], copy[PATH_MAX + 20];
	beside_program(path, "so");
	shell("cc -g -O1 -shared -fPIC -Wl,--build-id -o %s -x c - <<'END'\n%sEND", path, source);
	size_t number = trial_number(SIZE) < MOST ? trial_number(SIZE) : MOST;
	for (size_t i = 0; i < COPIES; i++) {
		sprintf(copy, "%s.%zu", path, i);
		shell("cp %s %s", path, copy);
		void *library = dlopen(copy, RTLD_NOW | RTLD_LOCAL);
		if (!library)
			abort();
		use(library, i * number / COPIES, (i + 1) * number / COPIES);
	}
	trial_reads(plugins_kept);
	trial_held("kept_by_plugin", "global plugins_kept");
	trial_told("kept_by_plugin", "^`kept_by_plugin` .* reachable from global `plugins_kept .*`$");
	trial_told("lost_by_plugin", "^`lost_by_plugin` .* no pointer found to 100 %: lost, or its pointers are hidden$");
}
