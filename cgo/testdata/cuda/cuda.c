// A stand-in for CUDA's driver, for tests: two devices whose memory is address space, and books of its own. It is no model of what a
// driver computes, only of what it gives and takes, and it gives addresses and handles anew as soon as they are free.
//
// -DOLD: older than cuGetProcAddress, and than what came after CUDA 10.2. -DHALF: it lacks what it is asked about contexts.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "../../device_calls.h"
#include "cuda.h"

#define DEVICES 2
#define THINGS 65536
#define CARD (1ULL << 40)

enum what { NOTHING, MEMORY, MANAGED, PINNED, REGISTERED, ARRAY, MIPMAPS, HANDLE, MAPPING, CONTEXT };

struct thing {
	enum what what;
	uint64_t key, size, of; // of: of a mapping, its handle
	int device, held;
	void *context; // that ends with it; NULL for none
};

static struct thing things[THINGS];
static int used;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static __thread void *current;
static __thread int failing;
static __thread void (*slow)(void);
static int lost, retained[DEVICES];
static char primaries[DEVICES];

void standin_fail(int calls)
{
	failing = calls;
}

void standin_slow(void (*meanwhile)(void))
{
	slow = meanwhile;
}

static void take_time(void)
{
	void (*meanwhile)(void) = slow;
	slow = NULL;
	if (meanwhile != NULL)
		meanwhile();
}

void standin_lose(int is_lost)
{
	__atomic_store_n(&lost, is_lost, __ATOMIC_RELAXED);
}

// Whether this call fails; 719 is a launch failure, after which a context can do nothing.
static int fails(void)
{
	if (__atomic_load_n(&lost, __ATOMIC_RELAXED))
		return 719;
	return failing > 0 ? failing--, 2 : 0;
}

static struct thing *find(enum what what, uint64_t key)
{
	for (int i = 0; i < used; i++)
		if (things[i].what == what && things[i].key == key)
			return &things[i];
	return NULL;
}

static struct thing *make(struct thing t)
{
	int i = 0;
	while (i < used && things[i].what != NOTHING)
		i++;
	if (i == THINGS)
		__builtin_trap();
	used += i == used;
	things[i] = t;
	return &things[i];
}

#define LOCKED(...)                                                                                                    \
	pthread_mutex_lock(&mutex);                                                                                    \
	int result = __VA_ARGS__;                                                                                      \
	pthread_mutex_unlock(&mutex);                                                                                  \
	take_time();                                                                                                   \
	return result

int standin_blocks(int kind, int device, uint64_t *bytes)
{
	int n = 0;
	*bytes = 0;
	pthread_mutex_lock(&mutex);
	for (int i = 0; i < used; i++) {
		const struct thing *t = &things[i];
		int is = t->what == MANAGED ? 1 : t->what == PINNED || t->what == REGISTERED ? 2 : t->what == MEMORY || t->what == ARRAY || t->what == MIPMAPS || t->what == HANDLE ? 0 : -1;
		if (is != kind || (kind != 2 && t->device != device))
			continue;
		n++;
		*bytes += t->size;
	}
	pthread_mutex_unlock(&mutex);
	return n;
}

static int device_of(void *context)
{
	for (int i = 0; i < DEVICES; i++)
		if (context == &primaries[i])
			return i;
	struct thing *t = find(CONTEXT, (uintptr_t)context);
	return t == NULL ? -1 : t->device;
}

static uint64_t space(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return p == MAP_FAILED ? 0 : (uintptr_t)p;
}

// Memory of the host that devices read is resident.
static uint64_t pinned(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	return p == MAP_FAILED ? 0 : (uintptr_t)p;
}

static int give(enum what what, uint64_t size, void *context, uint64_t *to)
{
	int device = device_of(current), failed = fails();
	if (failed != 0)
		return failed;
	if (device < 0)
		return 201;
	if (size == 0)
		return 1;
	*to = what == PINNED ? pinned(size) : space(size);
	make((struct thing){.what = what, .key = *to, .size = size, .device = device, .context = context});
	return 0;
}

static int end(struct thing *t)
{
	if (t->what != REGISTERED && t->what != HANDLE)
		munmap((void *)t->key, t->size);
	t->what = NOTHING;
	return 0;
}

static int take(enum what what, enum what or, uint64_t key)
{
	int failed = fails();
	struct thing *t = find(what, key);
	if (t == NULL)
		t = find(or, key);
	return failed != 0 ? failed : t == NULL ? 1 : end(t);
}

static void end_all(void *context)
{
	for (int i = 0; i < used; i++)
		if (things[i].what != NOTHING && things[i].what != CONTEXT && things[i].context == context)
			end(&things[i]);
}

#pragma GCC visibility push(default)

int cuInit(unsigned flags)
{
	(void)flags;
	return 0;
}

int cuDriverGetVersion(int *version)
{
#ifdef OLD
	*version = 10000;
#else
	*version = 12080;
#endif
	return 0;
}

int cuDeviceGetCount(int *n)
{
	*n = DEVICES;
	return 0;
}

int cuDeviceGet(int *device, int n)
{
	*device = n;
	return n < DEVICES ? 0 : 101;
}

int cuMemGetInfo_v2(size_t *left, size_t *all)
{
	uint64_t memory, managed;
	int device = device_of(current);
	standin_blocks(0, device, &memory);
	standin_blocks(1, device, &managed);
	*all = CARD;
	*left = CARD - memory - managed;
	return 0;
}

int cuMemAlloc_v2(uint64_t *to, size_t bytes)
{
	LOCKED(give(MEMORY, bytes, current, to));
}

// By a public function, as a driver might.
int cuMemAllocPitch_v2(uint64_t *to, size_t *pitch, size_t width, size_t height, unsigned element)
{
	(void)element;
	*pitch = (width + 511) & ~(size_t)511;
	return cuMemAlloc_v2(to, *pitch * height);
}

int cuMemFree_v2(uint64_t p)
{
	LOCKED(p == 0 ? 0 : take(MEMORY, MANAGED, p));
}

int cuMemAllocManaged(uint64_t *to, size_t bytes, unsigned flags)
{
	(void)flags;
	LOCKED(give(MANAGED, bytes, current, to));
}

int cuMemHostAlloc(void **to, size_t bytes, unsigned flags)
{
	(void)flags;
	LOCKED(give(PINNED, bytes, current, (uint64_t *)to));
}

int cuMemAllocHost_v2(void **to, size_t bytes)
{
	return cuMemHostAlloc(to, bytes, 0);
}

int cuMemFreeHost(void *p)
{
	LOCKED(take(PINNED, PINNED, (uintptr_t)p));
}

static int pin(void *p, size_t bytes)
{
	int failed = fails();
	if (failed == 0)
		make((struct thing){.what = REGISTERED, .key = (uintptr_t)p, .size = bytes, .device = device_of(current), .context = current});
	return failed;
}

int cuMemHostRegister_v2(void *p, size_t bytes, unsigned flags)
{
	(void)flags;
	LOCKED(pin(p, bytes));
}

int cuMemHostUnregister(void *p)
{
	LOCKED(take(REGISTERED, REGISTERED, (uintptr_t)p));
}

static uint64_t array_size(const struct cuda_array3 *a)
{
	uint64_t channel = a->format == 0x20 ? 4 : a->format == 0x10 ? 2 : 1;
	return channel * a->channels * a->width * (a->height ? a->height : 1) * (a->depth ? a->depth : 1);
}

int cuArray3DCreate_v2(void **to, const struct cuda_array3 *a)
{
	LOCKED(give(ARRAY, array_size(a), current, (uint64_t *)to));
}

int cuArrayCreate_v2(void **to, const struct cuda_array2 *a)
{
	struct cuda_array3 with = {a->width, a->height, 0, a->format, a->channels, 0};
	return cuArray3DCreate_v2(to, &with);
}

int cuArrayDestroy(void *array)
{
	LOCKED(take(ARRAY, ARRAY, (uintptr_t)array));
}

// Each level has half the sides of the one before, and no side is less than 1; below the level of one element there is none.
int cuMipmappedArrayCreate(void **to, const struct cuda_array3 *a, unsigned levels)
{
	struct cuda_array3 level = {a->width, a->height ? a->height : 1, a->depth ? a->depth : 1, a->format, a->channels, 0};
	uint64_t size = array_size(&level);
	while (--levels > 0 && level.width * level.height * level.depth > 1) {
		level.width = level.width > 1 ? level.width / 2 : 1;
		level.height = level.height > 1 ? level.height / 2 : 1;
		level.depth = level.depth > 1 ? level.depth / 2 : 1;
		size += array_size(&level);
	}
	LOCKED(give(MIPMAPS, size, current, (uint64_t *)to));
}

int cuMipmappedArrayDestroy(void *array)
{
	LOCKED(take(MIPMAPS, MIPMAPS, (uintptr_t)array));
}

static int create(void **to, int device)
{
	static uintptr_t contexts[64];
	int failed = fails();
	for (int i = 0; failed == 0 && i < 64; i++) {
		*to = &contexts[i];
		if (find(CONTEXT, (uintptr_t)*to) != NULL)
			continue;
		make((struct thing){.what = CONTEXT, .key = (uintptr_t)*to, .device = device});
		current = *to;
		return 0;
	}
	return failed != 0 ? failed : 2;
}

int cuCtxCreate_v2(void **to, unsigned flags, int device)
{
	(void)flags;
	LOCKED(create(to, device));
}

static int destroy(void *context)
{
	int failed = fails();
	struct thing *t = find(CONTEXT, (uintptr_t)context);
	if (failed != 0 || t == NULL)
		return failed != 0 ? failed : 201;
	end_all(context);
	t->what = NOTHING;
	return 0;
}

int cuCtxDestroy_v2(void *context)
{
	LOCKED(destroy(context));
}

int cuCtxSetCurrent(void *context)
{
	current = context;
	return 0;
}

static int reset(int device)
{
	int failed = fails();
	if (failed == 0)
		end_all(&primaries[device]);
	return failed;
}

int cuDevicePrimaryCtxReset(int device)
{
	LOCKED(reset(device));
}

int cuDevicePrimaryCtxRetain(void **to, int device)
{
	__atomic_add_fetch(&retained[device], 1, __ATOMIC_RELAXED);
	*to = &primaries[device];
	return 0;
}

int cuDevicePrimaryCtxRelease(int device)
{
	LOCKED(__atomic_sub_fetch(&retained[device], 1, __ATOMIC_RELAXED) == 0 ? reset(device) : 0);
}

#ifndef HALF
int cuCtxGetCurrent(void **to)
{
	*to = current;
	return 0;
}

int cuCtxGetDevice(int *device)
{
	LOCKED((*device = device_of(current)) < 0 ? 201 : 0);
}

int cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *active)
{
	*flags = 0;
	*active = __atomic_load_n(&retained[device], __ATOMIC_RELAXED) > 0;
	return 0;
}
#endif

#ifndef OLD
// What is from a pool ends with the primary context of its device.
static int async(uint64_t *to, size_t bytes)
{
	return give(MEMORY, bytes, &primaries[device_of(current) == 1], to);
}

int cuMemAllocAsync(uint64_t *to, size_t bytes, void *stream)
{
	(void)stream;
	LOCKED(async(to, bytes));
}

int cuMemAllocAsync_ptsz(uint64_t *to, size_t bytes, void *stream)
{
	(void)stream;
	LOCKED(async(to, bytes));
}

int cuMemAllocFromPoolAsync(uint64_t *to, size_t bytes, void *pool, void *stream)
{
	(void)pool, (void)stream;
	LOCKED(async(to, bytes));
}

static int free_async(uint64_t p)
{
	LOCKED(take(MEMORY, MANAGED, p));
}

int cuMemFreeAsync(uint64_t p, void *stream)
{
	(void)stream;
	return free_async(p);
}

int cuMemFreeAsync_ptsz(uint64_t p, void *stream)
{
	(void)stream;
	return free_async(p);
}

static int create_handle(uint64_t *to, size_t bytes, const struct cuda_properties *properties)
{
	uint64_t handle = 1;
	int failed = fails();
	while (find(HANDLE, handle) != NULL)
		handle++;
	if (failed == 0)
		make((struct thing){.what = HANDLE, .key = *to = handle, .size = bytes, .device = properties->location.id, .held = 1});
	return failed;
}

int cuMemCreate(uint64_t *to, size_t bytes, const struct cuda_properties *properties, uint64_t flags)
{
	(void)flags;
	LOCKED(create_handle(to, bytes, properties));
}

static int hold(uint64_t handle, int n)
{
	int failed = fails();
	struct thing *t = find(HANDLE, handle);
	if (failed != 0 || t == NULL)
		return failed != 0 ? failed : 1;
	t->held += n;
	return t->held == 0 ? end(t) : 0;
}

int cuMemRelease(uint64_t handle)
{
	LOCKED(hold(handle, -1));
}

int cuMemAddressReserve(uint64_t *to, size_t bytes, size_t alignment, uint64_t at, uint64_t flags)
{
	(void)alignment, (void)at, (void)flags;
	*to = space(bytes);
	return 0;
}

int cuMemAddressFree(uint64_t at, size_t bytes)
{
	munmap((void *)at, bytes);
	return 0;
}

static int map(uint64_t at, size_t bytes, uint64_t handle)
{
	int failed = hold(handle, 1);
	if (failed == 0)
		make((struct thing){.what = MAPPING, .key = at, .size = bytes, .of = handle});
	return failed;
}

int cuMemMap(uint64_t at, size_t bytes, size_t offset, uint64_t handle, uint64_t flags)
{
	(void)offset, (void)flags;
	LOCKED(map(at, bytes, handle));
}

static int unmap(uint64_t at, size_t bytes)
{
	int failed = fails();
	for (int i = 0; failed == 0 && i < used; i++)
		if (things[i].what == MAPPING && things[i].key >= at && things[i].key < at + bytes) {
			things[i].what = NOTHING;
			hold(things[i].of, -1);
		}
	return failed;
}

int cuMemUnmap(uint64_t at, size_t bytes)
{
	LOCKED(unmap(at, bytes));
}

static int retain(uint64_t *to, uint64_t at)
{
	struct thing *t = find(MAPPING, at);
	return t == NULL ? 1 : hold(*to = t->of, 1);
}

int cuMemRetainAllocationHandle(uint64_t *to, void *at)
{
	LOCKED(retain(to, (uintptr_t)at));
}

// A function that the driver has, and does not export.
static int inner_free(uint64_t p)
{
	return cuMemFree_v2(p);
}

// With the parameters of before CUDA 3.2.
static int first_alloc(unsigned *to, unsigned bytes)
{
	*to = bytes;
	return 0;
}

#define PER_THREAD 2 // a flag: functions for the stream of the thread

int cuGetProcAddress(const char *name, void **to, int version, uint64_t flags);
int cuGetProcAddress_v2(const char *name, void **to, int version, uint64_t flags, int *status);

#define CALLS(X) \
	X(cuInit, cuInit) X(cuDeviceGetCount, cuDeviceGetCount) X(cuMemGetInfo, cuMemGetInfo_v2) X(cuDriverGetVersion, cuDriverGetVersion) X(cuMemAlloc, cuMemAlloc_v2) X(cuMemAllocPitch, cuMemAllocPitch_v2) \
	X(cuMemFree, inner_free) X(cuMemAllocManaged, cuMemAllocManaged) X(cuMemHostAlloc, cuMemHostAlloc) \
	X(cuMemAllocHost, cuMemAllocHost_v2) X(cuMemFreeHost, cuMemFreeHost) X(cuMemHostRegister, cuMemHostRegister_v2) \
	X(cuMemHostUnregister, cuMemHostUnregister) X(cuArrayCreate, cuArrayCreate_v2) X(cuArray3DCreate, cuArray3DCreate_v2) \
	X(cuArrayDestroy, cuArrayDestroy) X(cuMipmappedArrayCreate, cuMipmappedArrayCreate) \
	X(cuMipmappedArrayDestroy, cuMipmappedArrayDestroy) X(cuCtxCreate, cuCtxCreate_v2) X(cuCtxDestroy, cuCtxDestroy_v2) \
	X(cuCtxSetCurrent, cuCtxSetCurrent) X(cuDevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain) \
	X(cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease) X(cuDevicePrimaryCtxReset, cuDevicePrimaryCtxReset) \
	X(cuMemAllocAsync, cuMemAllocAsync) X(cuMemAllocFromPoolAsync, cuMemAllocFromPoolAsync) X(cuMemFreeAsync, cuMemFreeAsync) \
	X(cuMemCreate, cuMemCreate) X(cuMemRelease, cuMemRelease) X(cuMemAddressReserve, cuMemAddressReserve) \
	X(cuMemAddressFree, cuMemAddressFree) X(cuMemMap, cuMemMap) X(cuMemUnmap, cuMemUnmap) \
	X(cuMemRetainAllocationHandle, cuMemRetainAllocationHandle)

static int look_up(const char *name, void **to, int version, uint64_t flags)
{
	*to = NULL;
#define CALL(asked, function) \
	if (strcmp(name, #asked) == 0) \
		*to = (void *)function;
	CALLS(CALL)
	if (strcmp(name, "cuGetProcAddress") == 0)
		*to = version < 12000 ? (void *)cuGetProcAddress : (void *)cuGetProcAddress_v2;
	if (version < 3020 && *to == (void *)cuMemAlloc_v2)
		*to = (void *)first_alloc;
	if ((flags & PER_THREAD) != 0 && *to == (void *)cuMemAllocAsync)
		*to = (void *)cuMemAllocAsync_ptsz;
	if ((flags & PER_THREAD) != 0 && *to == (void *)cuMemFreeAsync)
		*to = (void *)cuMemFreeAsync_ptsz;
	return *to == NULL ? 500 : 0;
}

int cuGetProcAddress(const char *name, void **to, int version, uint64_t flags)
{
	return look_up(name, to, version, flags);
}

int cuGetProcAddress_v2(const char *name, void **to, int version, uint64_t flags, int *status)
{
	int failed = look_up(name, to, version, flags);
	if (status != NULL)
		*status = failed != 0;
	return failed;
}
#endif
