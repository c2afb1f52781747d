#define _GNU_SOURCE
#include "card.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

#define SITE __attribute__((noinline, noclone))

// The functions, with the names that dlsym knows and those that cuGetProcAddress does.
#define CALLS(X) \
	X(init, "cuInit", "cuInit", (unsigned flags)) \
	X(count, "cuDeviceGetCount", "cuDeviceGetCount", (int *n)) \
	X(retain, "cuDevicePrimaryCtxRetain", "cuDevicePrimaryCtxRetain", (void **context, int device)) \
	X(release_context, "cuDevicePrimaryCtxRelease_v2", "cuDevicePrimaryCtxRelease", (int device)) \
	X(set, "cuCtxSetCurrent", "cuCtxSetCurrent", (void *context)) \
	X(info, "cuMemGetInfo_v2", "cuMemGetInfo", (size_t *left, size_t *all)) \
	X(alloc, "cuMemAlloc_v2", "cuMemAlloc", (uint64_t *p, size_t bytes)) \
	X(take, "cuMemFree_v2", "cuMemFree", (uint64_t p)) \
	X(managed, "cuMemAllocManaged", "cuMemAllocManaged", (uint64_t *p, size_t bytes, unsigned flags)) \
	X(host, "cuMemHostAlloc", "cuMemHostAlloc", (void **p, size_t bytes, unsigned flags)) \
	X(take_host, "cuMemFreeHost", "cuMemFreeHost", (void *p)) \
	X(create, "cuMemCreate", "cuMemCreate", (uint64_t *handle, size_t bytes, const void *properties, uint64_t flags)) \
	X(release, "cuMemRelease", "cuMemRelease", (uint64_t handle)) \
	X(async, "cuMemAllocAsync", "cuMemAllocAsync", (uint64_t *p, size_t bytes, void *stream)) \
	X(take_async, "cuMemFreeAsync", "cuMemFreeAsync", (uint64_t p, void *stream))

static struct {
#define POINTER(field, name, asked, parameters) int(*field) parameters;
	CALLS(POINTER)
} cuda;

static int find(int asked)
{
	void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
	if (driver == NULL)
		return -1;
	int (*ask)(const char *, void **, int, uint64_t, int *) = dlsym(driver, "cuGetProcAddress_v2");
	if (asked && ask == NULL)
		return -2;
#define FIND(field, name, base, parameters) \
	cuda.field = dlsym(driver, name); \
	if (asked && ask(base, (void **)&cuda.field, 12000, 0, NULL) != 0) \
		cuda.field = NULL;
	CALLS(FIND)
	if (cuda.release_context == NULL)
		cuda.release_context = dlsym(driver, "cuDevicePrimaryCtxRelease");
#define LACKS(field, name, base, parameters) || cuda.field == NULL
	if (false CALLS(LACKS))
		return -2;
	return cuda.init(0);
}

int card_open(int n, int asked)
{
	void *context;
	int failed = find(asked);
	if (failed == 0)
		failed = cuda.retain(&context, n);
	return failed != 0 ? failed : cuda.set(context);
}

int card_close(int n)
{
	int failed = cuda.set(NULL);
	return failed != 0 ? failed : cuda.release_context(n);
}

int card_count(int *devices)
{
	int failed = find(0);
	return failed != 0 ? failed : cuda.count(devices);
}

int card_free(size_t *bytes)
{
	size_t all;
	return cuda.info(bytes, &all);
}

SITE int card_alloc(uint64_t *p, size_t bytes)
{
	int failed = cuda.alloc(p, bytes);
	__asm__ volatile("");
	return failed;
}

SITE int card_managed(uint64_t *p, size_t bytes)
{
	int failed = cuda.managed(p, bytes, 1);
	__asm__ volatile("");
	return failed;
}

SITE int card_pinned(uint64_t *p, size_t bytes)
{
	int failed = cuda.host((void **)p, bytes, 0);
	__asm__ volatile("");
	return failed;
}

SITE int card_create(uint64_t *p, size_t bytes, int n)
{
	int properties[16] = {1, 0, 1, n}; // pinned memory on a device
	int failed = cuda.create(p, bytes, properties, 0);
	__asm__ volatile("");
	return failed;
}

SITE int card_async(uint64_t *p, size_t bytes)
{
	int failed = cuda.async(p, bytes, NULL);
	__asm__ volatile("");
	return failed;
}

int card_take(uint64_t p)
{
	return cuda.take(p);
}

int card_take_pinned(uint64_t p)
{
	return cuda.take_host((void *)p);
}

int card_take_async(uint64_t p)
{
	return cuda.take_async(p, NULL);
}

int card_release(uint64_t p)
{
	return cuda.release(p);
}
