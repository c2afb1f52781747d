#include <pthread.h>

#include "_cgo_export.h"
#include "worker.h"

SITE static void *stress_thread(void *site)
{
	while (!stress_ended())
		stress_visit((uintptr_t)site + stress_random() % STRESS_WAYS);
	return NULL;
}

SITE static void *stress_short_thread(void *site)
{
	for (int i = 0; i < 8; i++)
		stress_visit((uintptr_t)site + stress_random() % STRESS_WAYS);
	KEEP_FRAME();
	return NULL;
}

SITE static void *stress_calling_thread(void *site)
{
	stress_call_go((uintptr_t)site + stress_random() % STRESS_WAYS, 0);
	KEEP_FRAME();
	return NULL;
}

static void run(void *(*body)(void *), uint32_t site)
{
	pthread_t thread;
	bool created = pthread_create(&thread, NULL, body, (void *)(uintptr_t)site) == 0;
	stress_must(created && pthread_join(thread, NULL) == 0, "threads come and go");
}

void stress_threads(uint32_t site)
{
	run(stress_thread, site);
}

static void run_many(void *(*body)(void *), uint32_t site)
{
	while (!stress_ended()) {
		run(body, site);
		stress_count(SHORT_THREADS);
	}
}

void stress_short_threads(uint32_t site)
{
	run_many(stress_short_thread, site);
}

void stress_threads_call_go(uint32_t site)
{
	run_many(stress_calling_thread, site);
}

SITE void stress_call_go(uint32_t site, int depth)
{
	stressNested(site, depth);
	KEEP_FRAME();
}

SITE void stress_around_go(uint32_t site)
{
	stress_visit(site);
	stressGrow();
	stress_visit(site);
	KEEP_FRAME();
}
