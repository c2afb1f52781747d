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
#include "record_mapped.h"
#include "refused.h"
#include "segment.h"
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
	refused_say(name, why, more);
}

static uint64_t seed(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_nsec * 0x9e3779b97f4a7c15ULL ^ (uint64_t)getpid();
}

// The segment is for the process that the command has started, whatever programs that executes.
static int make_tables(void)
{
	if ((uint64_t)getppid() == settings.parent && segment_take(&file, settings.segment, settings.token, settings.table_bytes))
		return 0;
	return file_make(&file, settings.boxes, name, settings.table_bytes);
}

// Makes a box, into which cgoheap_start begins to record. False if that cannot be.
static bool prepare(void)
{
	int failed = make_tables();
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
	if (cgoheap_thread.inside != 0)
		return; // a handler has interrupted a hook, which goes on with the tables as they were
	for (size_t i = 0; i < GATE_SLOTS; i++)
		cgoheap_inside[i].by = GATE_VACANT;
	cgoheap_box_busy = 0;
	if (cgoheap_stop() && settings_here(&settings) && prepare())
		cgoheap_start();
}

// Programs are named by their executables, and as they are called: python3 may be a link to python3.11.
static bool is_followed(const char *called)
{
	return settings_follow(&settings, name) || settings_follow(&settings, called);
}

// Without the directory, nobody waits for boxes of children.
static bool is_wanted(const char *called)
{
	if (!settings_here(&settings))
		return false;
	return (uint64_t)getppid() == settings.parent || (is_followed(called) && access(settings.boxes, F_OK) == 0);
}

static const char *base(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash != NULL ? slash + 1 : path;
}

// Returns 0, or an errno; then the name is that by which the program was called.
static int know_program(const char *called)
{
	ssize_t size = readlink("/proc/self/exe", program, sizeof program - 1);
	name = size > 0 ? base(program) : called;
	return size > 0 ? 0 : errno;
}

// Whether this process is to be recorded, and can be.
static bool is_ours(const char *called, char **environment)
{
	if (getauxval(AT_SECURE) != 0 || !settings_read(&settings, environment))
		return false;
	int failed = know_program(called);
	if (!is_wanted(called))
		return false;
	if (failed != 0)
		say("/proc/self/exe cannot be read: ", strerror(failed));
	return failed == 0 && !refused_malloc(name, environment);
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
	count = 0, environment = NULL; // musl passes nothing
#endif
	const char *called = count > 0 ? base(arguments[0]) : "a program";
	if (!is_ours(called, environment))
		return;
	const struct go_calls nobodys = {map, unmap, map_other};
	(void)mapping_find_go(&nobodys);
	modules_list(program);
	know_go();
	if (!prepare())
		return;
	if (is_followed(called))
		(void)pthread_atfork(NULL, NULL, follow); // after the handler of cgoheap_prepare, which ends the recording in a child
	cgoheap_start();
}

static bool is_left(void)
{
	return kill((pid_t)settings.parent, 0) != 0 && errno == ESRCH;
}

// At an orderly end the command reads the box, and removes it. If it is gone, and has not said that boxes are wanted, nobody will.
__attribute__((destructor)) static void end(void)
{
	char wanted[sizeof settings.boxes + sizeof SETTINGS_WANTED];
	if (recorded != getpid() || !is_left() || !settings_here(&settings))
		return;
	snprintf(wanted, sizeof wanted, "%s/" SETTINGS_WANTED, settings.boxes);
	if (access(wanted, F_OK) == 0)
		return;
	file_remove(&file);
	rmdir(settings.boxes); // if it was the last box
}
