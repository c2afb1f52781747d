#include "card.h"

#include <dlfcn.h>
#include <stddef.h>

#define SITE __attribute__((noinline, noclone))

static struct {
	int (*init)(unsigned flags);
	int (*retain)(void **context, int device);
	int (*set)(void *context);
	int (*alloc)(uint64_t *p, size_t bytes);
	int (*host)(void **p, size_t bytes, unsigned flags);
} cuda;

int card_open(void)
{
	void *driver = dlopen("libcuda.so.1", RTLD_NOW), *context;
	if (driver == NULL)
		return -1;
	cuda.init = (int (*)(unsigned))dlsym(driver, "cuInit");
	cuda.retain = (int (*)(void **, int))dlsym(driver, "cuDevicePrimaryCtxRetain");
	cuda.set = (int (*)(void *))dlsym(driver, "cuCtxSetCurrent");
	cuda.alloc = (int (*)(uint64_t *, size_t))dlsym(driver, "cuMemAlloc_v2");
	cuda.host = (int (*)(void **, size_t, unsigned))dlsym(driver, "cuMemHostAlloc");
	if (cuda.init(0) != 0 || cuda.retain(&context, 0) != 0)
		return -1;
	return cuda.set(context);
}

SITE static uint64_t give(size_t bytes)
{
	uint64_t p;
	return cuda.alloc(&p, bytes) == 0 ? p : 0;
}

SITE uint64_t load_layer(size_t bytes)
{
	return give(bytes);
}

SITE uint64_t extend_cache(size_t bytes)
{
	return give(bytes);
}

SITE void *stage_batch(size_t bytes)
{
	void *p;
	return cuda.host(&p, bytes, 0) == 0 ? p : NULL;
}
