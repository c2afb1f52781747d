//go:build ignore

// What Go does for a recording that is linked in, for a program that this library is preloaded into: reads the settings, makes the box,
// lists the loaded files, and begins to record, before any code of the program or of its other libraries runs (-z initfirst).
//
// It says nothing unless nothing can be recorded: then one line, to standard error, and the program runs on as without it.

#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "about.h"
#include "box.h"
#include "control.h"
#include "file.h"
#include "gate.h"
#include "modules.h"
#include "real.h"
#include "record_mapped.h"
#include "settings.h"
#include "settler.h"

#define DEPTH 128 // frames kept per stack, as a recording that is linked in has by default

static struct settings settings;
static char program[PATH_MAX]; // the path of the executable
static const char *name;       // without its folder
static struct region_file file;
static pid_t recorded; // the process that the file is of

// Like Go's functions that map memory, but nobody else calls these: so nothing is taken for memory of a Go runtime.
static uintptr_t map(void *at, uintptr_t length, int32_t protection, int32_t flags, int32_t fd, uint32_t offset)
{
	return (uintptr_t)mmap(at, length, protection, flags, fd, offset);
}

static void unmap(void *at, uintptr_t length)
{
	munmap(at, length);
}

static void *map_other(size_t length)
{
	return mmap(NULL, length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void say(const char *why, const char *more)
{
	char line[PATH_MAX + 512];
	int size = snprintf(line, sizeof line, "cgoheap: nothing is recorded of %s: %s%s\n", name, why, more);
	if (size > 0 && write(STDERR_FILENO, line, (size_t)(size < (int)sizeof line ? size : (int)sizeof line - 1)) < 0)
		errno = 0; // nobody can be told
}

static bool is_refused(void)
{
	const char *object;
	enum refusal why = real_refusal(&object);
	if (why == REFUSAL_NONE)
		return false;
	if (why == REFUSAL_BEHIND && object != NULL)
		say("an allocator is linked in, or cgoheap itself, and it calls the malloc of ", object);
	else
		say("no library has the functions of malloc", "");
	return true;
}

static uint64_t seed(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_nsec * 0x9e3779b97f4a7c15ULL ^ (uint64_t)getpid();
}

// Makes a box, into which cgoheap_start begins to record. False if that cannot be.
static bool prepare(void)
{
	int failed = file_make(&file, settings.boxes, name, settings.table_bytes);
	if (failed != 0) {
		say("its tables cannot be made: ", strerror(failed));
		return false;
	}
	struct options o = {.table_bytes = settings.table_bytes, .sample_bytes = settings.sample_bytes, .seed = seed(), .max_depth = DEPTH, .file = file};
	failed = cgoheap_prepare(&o);
	if (failed == 0 && !modules_publish())
		failed = ENOMEM;
	if (failed != 0) {
		file_remove(&file);
		say("its tables cannot be used: ", strerror(failed));
		return false;
	}
	about_describe(program);
	if (settings.settle != 0)
		settler_begin();
	recorded = getpid();
	return true;
}

// In a child that was forked and runs on: a recording of its own, from here on. Threads that were inside are not there any more.
static void follow(void)
{
	for (size_t i = 0; i < GATE_SLOTS; i++)
		cgoheap_inside[i].by = GATE_VACANT;
	cgoheap_box_busy = 0;
	if (cgoheap_stop() && prepare())
		cgoheap_start();
}

static bool is_wanted(void)
{
	return (uint64_t)getppid() == settings.parent || settings_follow(&settings, name);
}

static bool know_program(void)
{
	ssize_t size = readlink("/proc/self/exe", program, sizeof program - 1);
	const char *slash = size > 0 ? strrchr(program, '/') : NULL;
	name = slash != NULL ? slash + 1 : program;
	return size > 0;
}

// The layout is of the program that the command has started, and not of one that this may have executed.
static void know_go(void)
{
	struct settings_go go;
	struct stat s;
	if (settings_go(&settings, &go) && stat("/proc/self/exe", &s) == 0 && s.st_dev == go.device && s.st_ino == go.inode)
		modules_know_go(&go);
}

// glibc calls it with these arguments, and has no environ yet.
__attribute__((constructor)) static void begin(int count, char **arguments, char **environment)
{
#ifndef __GLIBC__
	environment = NULL; // nor has musl the arguments
#endif
	(void)count, (void)arguments;
	if (getauxval(AT_SECURE) != 0 || !settings_read(&settings, environment) || !know_program() || !is_wanted() || is_refused())
		return;
	const struct go_calls nobodys = {map, unmap, map_other};
	(void)mapping_find_go(&nobodys);
	modules_list(program);
	know_go();
	if (!prepare())
		return;
	if (settings_follow(&settings, name))
		(void)pthread_atfork(NULL, NULL, follow); // after the handler of cgoheap_prepare, which ends the recording in a child
	cgoheap_start();
}

// At an orderly end the command reads the box, and removes it. If it is gone, nobody wants the box.
__attribute__((destructor)) static void end(void)
{
	if (recorded == getpid() && kill((pid_t)settings.parent, 0) != 0 && errno == ESRCH)
		file_remove(&file);
}
