//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>
#include <vector>

extern "C" {
#include "held.h"
}

void *sessions[512];
static void *held_cache;
static struct {
	void *first, *second, *third;
} server;
static thread_local void *recent[4];
thread_local void *current;

namespace app {
struct registry {
	static std::vector<char> names;
	static std::vector<char> &list()
	{
		static std::vector<char> made;
		return made;
	}
	static void grow(size_t size) { names.resize(size); }
};
std::vector<char> registry::names;
namespace {
void *hidden;
}
} // namespace app

extern "C" {
void *variables[VARIABLES];

void find_variables(void)
{
	static void *local;
	void *all[] = {sessions, &sessions[300], &held_cache, &server.first, &server.third, &local, &app::hidden, &app::registry::names, &app::registry::list()};
	memcpy(variables, all, sizeof all);
}

void *open_library(const char *path) { return dlopen(path, RTLD_NOW); }

void *from_library(void *library, int which) { return ((void *(*)(int))dlsym(library, "library_variable"))(which); }

struct start {
	struct worker *worker;
	void *library;
	sem_t ready;
};

static void *work(void *argument)
{
	struct start *s = (struct start *)argument;
	struct worker *w = s->worker;
	void *mine = NULL;
	prctl(PR_SET_NAME, w->name);
	w->on_stack = &mine;
	w->thread_local_one = &current;
	w->thread_local_array = &recent[2];
	w->of_library = from_library(s->library, 4);
	w->control = (uintptr_t)pthread_self();
	pthread_key_t key;
	if (pthread_key_create(&key, NULL) == 0 && pthread_setspecific(key, &key) == 0)
		for (void **at = (void **)w->control; (uintptr_t)at < w->control + 2048; at++)
			if (*at == &key)
				w->key_value = at;
	w->key = key;
	sem_post(&s->ready);
	for (;;)
		pause();
	return mine;
}

int start_worker(struct worker *w, void *library)
{
	struct start s = {w, library, {}};
	pthread_t thread;
	sem_init(&s.ready, 0, 0);
	int failed = pthread_create(&thread, NULL, work, &s);
	if (failed == 0)
		sem_wait(&s.ready);
	return failed;
}

static __attribute__((noinline)) void *xmalloc(size_t size)
{
	void *block = malloc(size);
	if (block == NULL)
		abort();
	__asm__ volatile("" ::: "memory");
	return block;
}

__attribute__((noinline)) void *queue_push(size_t size)
{
	void *block = xmalloc(size);
	__asm__ volatile("" ::: "memory");
	return block;
}

__attribute__((noinline)) void *registry_grow(size_t size)
{
	app::registry::grow(size);
	__asm__ volatile("" ::: "memory");
	return app::registry::names.data();
}

static __attribute__((noinline)) void *pages(size_t size)
{
	void *found = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	__asm__ volatile("" ::: "memory");
	return found;
}

__attribute__((noinline)) void *arena_new(size_t size)
{
	void *found = pages(size);
	__asm__ volatile("" ::: "memory");
	return found;
}

void *own_thread_local(void) { return &current; }
}
