// Hooks of a device's driver, in front of the stand-in for one: what is recorded is what its own books have, on each way to its
// functions, and dlsym is what it was for everything else. The program has the public names as allocators/cuda defines them. With
// -DLINKED it is linked with the driver, otherwise it opens it.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../device_calls.h"
#include "../../labels.h"
#include "../../real_driver.h"
#include "../../region.h"
#include "../../stacks.h"
#include "../../trie.h"
#include "../cuda/cuda.h"
#include "totals.h"

#define NO_TYPE(does, name, since, parameters, arguments, more) typedef int type_##name parameters;
DEVICE_CALLS(NO_TYPE)

// All functions, found on one way.
struct api {
#define FIELD(does, name, since, parameters, arguments, more) type_##name *name;
	DEVICE_CALLS(FIELD)
};

struct standin {
	void *handle;
	__typeof(standin_fail) *fail;
	__typeof(standin_slow) *slow;
	__typeof(standin_lose) *lose;
	__typeof(standin_blocks) *blocks;
	int (*create)(void **to, unsigned flags, int device);
	int (*set)(void *context);
	int (*reserve)(uint64_t *to, size_t bytes, size_t alignment, uint64_t at, uint64_t flags);
};

static struct standin cuda;

#define WAYS 5
static struct api ways[WAYS];

static void find(struct standin *d, const char *path)
{
	*d = (struct standin){.handle = dlopen(path, RTLD_NOW)};
	if (d->handle == NULL)
		fprintf(stderr, "%s\n", dlerror());
	check(d->handle != NULL);
	d->fail = dlsym(d->handle, "standin_fail");
	d->slow = dlsym(d->handle, "standin_slow");
	d->lose = dlsym(d->handle, "standin_lose");
	d->blocks = dlsym(d->handle, "standin_blocks");
	d->create = dlsym(d->handle, "cuCtxCreate_v2");
	d->set = dlsym(d->handle, "cuCtxSetCurrent");
	d->reserve = dlsym(d->handle, "cuMemAddressReserve");
}

// dlsym alone; of the names of a row, the last that is there.
static void look_up(struct api *a, void *handle)
{
	void *found;
	memset(a, 0, sizeof *a);
#define LOOK_UP(text, row, number) \
	if ((found = dlsym(handle, #text)) != NULL) \
		a->row = (type_##row *)found;
	DEVICE_NAMES(LOOK_UP)
}

static void ask(struct api *a, type_cuGetProcAddress_v2 *ask_for, int version, uint64_t flags)
{
	memset(a, 0, sizeof *a);
#define ASK(does, name, since, parameters, arguments, more) \
	{ \
		char text[64] = #name; \
		size_t n = strlen(text); \
		int status = 9; \
		if (strcmp(text + n - 3, "_v2") == 0) \
			text[n - 3] = 0; \
		if (ask_for(text, (void **)&a->name, version, flags, &status) != 0) \
			check(a->name == NULL); \
	}
	DEVICE_CALLS(ASK)
	check(a->cuMemAlloc_v2 != NULL && a->cuGetProcAddress_v2 != NULL && a->cuMipmappedArrayCreate != NULL);
}

#ifdef LINKED
#define DIRECT(X) \
	X(cuMemAlloc_v2) X(cuMemAllocPitch_v2) X(cuMemAllocManaged) X(cuMemAllocAsync) X(cuMemAllocFromPoolAsync) X(cuMemAllocHost_v2) \
	X(cuMemHostAlloc) X(cuMemHostRegister_v2) X(cuArrayCreate_v2) X(cuArray3DCreate_v2) X(cuMemFree_v2) X(cuMemFreeAsync) \
	X(cuMemFreeHost) X(cuMemHostUnregister) X(cuArrayDestroy) X(cuMipmappedArrayCreate) X(cuMipmappedArrayDestroy) X(cuMemCreate) X(cuMemRelease) X(cuMemRetainAllocationHandle) \
	X(cuMemMap) X(cuMemUnmap) X(cuCtxDestroy_v2) X(cuDevicePrimaryCtxRetain) X(cuGetProcAddress_v2)
#define DECLARE(name) type_##name name;
DIRECT(DECLARE)
type_cuDevicePrimaryCtxRelease_v2 cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxReset;
type_cuMemAllocAsync cuMemAllocAsync_ptsz;
int cuInit(unsigned flags);

static void direct(struct api *a)
{
	check(cuInit(0) == 0); // a call that has no hook: the linker would leave the driver out
#define SET(name) a->name = name;
	DIRECT(SET)
	a->cuDevicePrimaryCtxRelease_v2 = cuDevicePrimaryCtxRelease;
	a->cuDevicePrimaryCtxReset_v2 = cuDevicePrimaryCtxReset;
	a->cuMemAllocAsync = cuMemAllocAsync_ptsz;
}
#endif

static void open_driver(void)
{
	find(&cuda, "libcuda.so.1");
	look_up(&ways[0], cuda.handle);
	ask(&ways[1], ways[0].cuGetProcAddress_v2, 12080, 0);
	ask(&ways[2], ways[1].cuGetProcAddress_v2, 11080, 2);
	ask(&ways[3], ways[2].cuGetProcAddress_v2, 13000, 0);
	ways[4] = ways[0];
#ifdef LINKED
	direct(&ways[4]);
#endif
}

// What is recorded of a kind, on a device; of all, without.
struct recorded {
	const char *kind, *device;
	uint64_t blocks, bytes;
};

static bool has_label(uint32_t labels, const char *key, const char *text)
{
	const struct labels *l = region_ref(labels);
	for (uint32_t at = 0; labels != 0 && at < l->size;) {
		struct label e;
		memcpy(&e, l->entries + at, sizeof e);
		const char *k = l->entries + at + sizeof e;
		if (e.key_size == strlen(key) && memcmp(k, key, e.key_size) == 0)
			return text != NULL && e.text_size == strlen(text) && memcmp(k + e.key_size, text, e.text_size) == 0;
		at += sizeof e + e.key_size + e.text_size;
	}
	return text == NULL;
}

static void add_recorded(void *record, const void *argument)
{
	struct recorded *r = *(struct recorded *const *)argument;
	const struct site *site = record;
	struct sums s = sums_of(site);
	if (!has_label(site->labels, "kind", r->kind) || !has_label(site->labels, "device", r->device))
		return;
	r->blocks += s.in_use.of[OBJECTS] >> 16;
	r->bytes += s.in_use.of[BYTES] >> 4;
}

static struct recorded recorded(const char *kind, const char *device)
{
	struct recorded r = {kind, device, 0, 0}, *to = &r;
	check(gate_settle());
	sites_each(add_recorded, &to);
	return r;
}

static void agrees_with(const struct standin *d)
{
	static const struct {
		int kind, number;
		const char *text, *device;
	} all[] = {{0, 0, "cuda", "GPU 0"}, {0, 1, "cuda", "GPU 1"}, {1, 0, "cuda managed", "GPU 0"}, {1, 1, "cuda managed", "GPU 1"}, {2, 0, "cuda pinned", NULL}};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		uint64_t bytes;
		int blocks = d->blocks(all[i].kind, all[i].number, &bytes);
		struct recorded r = recorded(all[i].text, all[i].device);
		if (r.blocks != (uint64_t)blocks || r.bytes != bytes)
			fprintf(stderr, "%s %s: %lu blocks of %lu bytes, and %d of %lu by the driver\n", all[i].text, all[i].device, r.blocks, r.bytes, blocks, bytes);
		check(r.blocks == (uint64_t)blocks && r.bytes == bytes);
	}
	struct recorded none = recorded("cuda", NULL);
	check(none.blocks == 0);
}

static void agrees(void)
{
	agrees_with(&cuda);
}

#define SAMPLED (1ULL << 40) // no block of malloc's is
static const struct cuda_array3 volume = {30, 20, 4, 0x20, 2, 0};
static const struct cuda_array2 plane = {30, 20, 0x10, 1};
static const struct cuda_properties on_first = {.location = {CUDA_LOCATION_DEVICE, 0}}, on_second = {.location = {CUDA_LOCATION_DEVICE, 1}};

static void each_function(void)
{
	for (int way = 0; way < WAYS; way++)
		for (int device = 0; device < 2; device++) {
			const struct api *a = &ways[way];
			uint64_t p[6], handle;
			size_t pitch;
			void *h[5], *context;
			static char page[4096];
			start(SAMPLED);
			check(a->cuDevicePrimaryCtxRetain(&context, device) == 0 && cuda.set(context) == 0);
			check(a->cuMemAlloc_v2(&p[0], 1000) == 0 && a->cuMemAllocPitch_v2(&p[1], &pitch, 100, 3, 4) == 0);
			check(a->cuMemAllocManaged(&p[2], 3000, 1) == 0 && a->cuMemAllocAsync(&p[3], 4000, NULL) == 0);
			check(a->cuMemAllocFromPoolAsync(&p[4], 5000, NULL, NULL) == 0);
			check(a->cuMemAllocHost_v2(&h[0], 6000) == 0 && a->cuMemHostAlloc(&h[1], 7000, 0) == 0);
			check(a->cuMemHostRegister_v2(page, sizeof page, 0) == 0);
			check(a->cuArrayCreate_v2(&h[2], &plane) == 0 && a->cuArray3DCreate_v2(&h[3], &volume) == 0);
			check(a->cuMipmappedArrayCreate(&h[4], &volume, 3) == 0);
			check(a->cuMemCreate(&handle, 8000, device == 0 ? &on_first : &on_second, 0) == 0);
			struct recorded r = recorded("cuda", device == 0 ? "GPU 0" : "GPU 1");
			const uint64_t arrays = 30 * 20 * 2 + 30 * 20 * 4 * 8, mipmaps = (30 * 20 * 4 + 15 * 10 * 2 + 7 * 5) * 8;
			check(r.blocks == 8 && r.bytes == 1000 + 512 * 3 + 4000 + 5000 + arrays + mipmaps + 8000);
			r = recorded("cuda pinned", NULL);
			check(r.blocks == 3 && r.bytes == 6000 + 7000 + 4096);
			agrees();
			check(a->cuMemFree_v2(p[0]) == 0 && a->cuMemFree_v2(p[1]) == 0 && a->cuMemFree_v2(p[2]) == 0 && a->cuMemFree_v2(0) == 0);
			check(a->cuMemFreeAsync(p[3], NULL) == 0 && a->cuMemFreeAsync(p[4], NULL) == 0);
			check(a->cuMemFreeHost(h[0]) == 0 && a->cuMemFreeHost(h[1]) == 0 && a->cuMemHostUnregister(page) == 0);
			check(a->cuArrayDestroy(h[2]) == 0 && a->cuArrayDestroy(h[3]) == 0);
			check(a->cuMipmappedArrayDestroy(h[4]) == 0 && a->cuMemRelease(handle) == 0);
			agrees();
			check(totals().live == 0);
			check(a->cuDevicePrimaryCtxRelease_v2(device) == 0);
			check(cgoheap_stop());
		}
}

// How many blocks are allocated and in use.
static void counts(uint64_t allocs, uint64_t live)
{
	struct totals t = totals();
	check(t.allocs == allocs && t.live == live);
	agrees();
}

static void *a_context(int device)
{
	void *context;
	check(cuda.create(&context, 0, device) == 0);
	return context;
}

static void failures(void)
{
	const struct api *a = &ways[0];
	uint64_t p, q;
	start(SAMPLED);
	void *context = a_context(1);
	cuda.fail(1);
	check(a->cuMemAlloc_v2(&p, 100) == 2);
	counts(0, 0);
	check(a->cuMemAlloc_v2(&p, 100) == 0 && a->cuMemCreate(&q, 5, &on_first, 0) == 0);
	cuda.fail(3);
	check(a->cuMemFree_v2(p) == 2 && a->cuMemRelease(q) == 2 && a->cuCtxDestroy_v2(context) == 2);
	counts(2, 2);
	cuda.lose(1);
	check(a->cuMemFree_v2(p) == 719 && a->cuMemRelease(q) == 719 && a->cuCtxDestroy_v2(context) == 719 && a->cuMemAlloc_v2(&p, 1) == 719);
	check(a->cuDevicePrimaryCtxReset_v2(0) == 719);
	counts(2, 2);
	cuda.lose(0);
	check(a->cuMemRelease(q) == 0);
	counts(2, 1);
	check(a->cuCtxDestroy_v2(context) == 0);
	counts(2, 0);
	check(a->cuMemFree_v2(p) == 1);
	counts(2, 0);
	check(cgoheap_stop());
}

static bool is_drivers(void *function)
{
	Dl_info at;
	check(dladdr(function, &at) != 0);
	return strstr(at.dli_fname, "libcuda") != NULL;
}

// A version of CUDA decides which parameters a function has. Those of a later one than we know are known only if the driver exports it.
static void versions(void)
{
	struct {
		unsigned p, after;
	} small = {0, 7};
	void *found;
	start(SAMPLED);
	check(ways[0].cuGetProcAddress_v2("cuMemAlloc", &found, 3010, 0, NULL) == 0 && is_drivers(found));
	check(((int (*)(unsigned *, unsigned))found)(&small.p, 100) == 0 && small.p == 100 && small.after == 7);
	check(ways[0].cuGetProcAddress_v2("cuMemAlloc", &found, 14000, 0, NULL) == 0 && !is_drivers(found));
	check(ways[0].cuGetProcAddress_v2("cuMemFree", &found, 14000, 0, NULL) == 0 && is_drivers(found));
	check(ways[0].cuGetProcAddress_v2("cuInit", &found, 12000, 0, NULL) == 0 && is_drivers(found));
	check(ways[0].cuGetProcAddress_v2("cuNothing", &found, 12000, 0, NULL) == 500 && found == NULL);
	counts(0, 0);
	check(cgoheap_stop());
}

static void implied(void)
{
	const struct api *a = &ways[1];
	uint64_t p[4];
	void *h[2], *main_context, *twice;
	start(SAMPLED);
	check(a->cuDevicePrimaryCtxRetain(&main_context, 0) == 0);
	void *one = a_context(0), *two = a_context(1);
	for (int i = 0; i < 200; i++)
		check(cuda.set(i % 2 == 0 ? one : two) == 0 && a->cuMemAlloc_v2(&p[0], 100) == 0 && a->cuMemHostAlloc(&h[0], 10, 0) == 0);
	check(a->cuMemAllocAsync(&p[1], 1000, NULL) == 0 && a->cuMemCreate(&p[2], 77, &on_second, 0) == 0);
	counts(402, 402);
	check(a->cuCtxDestroy_v2(one) == 0);
	counts(402, 202);
	check(cuda.set(main_context) == 0 && a->cuMemAlloc_v2(&p[3], 100) == 0);
	counts(403, 203);
	check(a->cuDevicePrimaryCtxReset_v2(0) == 0);
	counts(403, 202);
	check(a->cuDevicePrimaryCtxReset_v2(1) == 0); // the pool's
	counts(403, 201);
	check(a->cuCtxDestroy_v2(two) == 0);
	counts(403, 1);
	check(a->cuDevicePrimaryCtxRetain(&twice, 0) == 0 && twice == main_context && cuda.set(main_context) == 0);
	check(a->cuArray3DCreate_v2(&h[1], &volume) == 0);
	check(a->cuDevicePrimaryCtxRelease_v2(0) == 0);
	counts(404, 2);
	check(a->cuDevicePrimaryCtxRelease_v2(0) == 0);
	counts(404, 1);
	check(a->cuMemRelease(p[2]) == 0);
	counts(404, 0);
	check(cgoheap_stop());
}

// Mappings that were made before the recording are between others.
static void unknown_mappings(void)
{
	const struct api *a = &ways[0];
	uint64_t at, handle[6];
	check(cuda.reserve(&at, 6 << 21, 0, 0, 0) == 0);
	for (int i = 0; i < 6; i++) {
		if (i == 2)
			start(SAMPLED);
		int place = (i * 5 + 1) % 6; // 1, 0, 5, 4, 3, 2
		check(a->cuMemCreate(&handle[i], 1 << 21, &on_first, 0) == 0 && a->cuMemMap(at + ((uint64_t)place << 21), 1 << 21, 0, handle[i], 0) == 0);
		check(a->cuMemRelease(handle[i]) == 0);
	}
	check(totals().live == 4);
	cuda.fail(1);
	check(a->cuMemUnmap(at, 3 << 21) == 2 && totals().live == 4);
	check(a->cuMemUnmap(at, 3 << 21) == 0 && totals().live == 3);
	check(a->cuMemUnmap(at + (4 << 21), 2 << 21) == 0 && totals().live == 1);
	check(a->cuMemUnmap(at + (3 << 21), 1 << 21) == 0 && totals().live == 0);
	agrees();
	check(cgoheap_stop());
}

static void mappings(void)
{
	const struct api *a = &ways[2];
	uint64_t at, handle[3], again;
	start(SAMPLED);
	check(cuda.reserve(&at, 3 << 21, 0, 0, 0) == 0);
	for (int i = 0; i < 3; i++)
		check(a->cuMemCreate(&handle[i], 1 << 21, &on_first, 0) == 0 && a->cuMemMap(at + ((uint64_t)i << 21), 1 << 21, 0, handle[i], 0) == 0);
	check(a->cuMemRelease(handle[0]) == 0 && a->cuMemRelease(handle[1]) == 0);
	counts(3, 3);
	check(a->cuMemRetainAllocationHandle(&again, (void *)at) == 0 && again == handle[0]);
	cuda.fail(1);
	check(a->cuMemUnmap(at, 3 << 21) == 2);
	counts(3, 3);
	check(a->cuMemUnmap(at, 3 << 21) == 0);
	counts(3, 2);
	check(a->cuMemRelease(again) == 0);
	counts(3, 1);
	check(a->cuMemRelease(handle[2]) == 0);
	counts(3, 0);
	check(cgoheap_stop());
}

static uint64_t other; // what another thread made meanwhile

static void *makes(void *unused)
{
	(void)unused;
	check(ways[0].cuMemCreate(&other, 7, &on_second, 0) == 0);
	return NULL;
}

static void another_makes(void)
{
	pthread_t thread;
	check(pthread_create(&thread, NULL, makes, NULL) == 0 && pthread_join(thread, NULL) == 0);
}

// What a call frees is free before the call returns, and another thread may have it by then.
static void slow_calls(void)
{
	const struct api *a = &ways[0];
	uint64_t handle, at, p;
	start(SAMPLED);
	check(cuda.reserve(&at, 1 << 21, 0, 0, 0) == 0 && a->cuMemCreate(&handle, 100, &on_first, 0) == 0);
	cuda.slow(another_makes);
	check(a->cuMemRelease(handle) == 0 && other == handle);
	counts(2, 1);
	check(a->cuMemMap(at, 1 << 21, 0, handle, 0) == 0 && a->cuMemRelease(handle) == 0);
	counts(2, 1);
	cuda.slow(another_makes);
	check(a->cuMemUnmap(at, 1 << 21) == 0 && other == handle);
	counts(3, 1);
	cuda.slow(another_makes);
	cuda.fail(1);
	check(a->cuMemRelease(handle) == 2 && other != handle);
	counts(4, 2);
	check(a->cuMemRelease(handle) == 0 && a->cuMemRelease(other) == 0);
	void *context = a_context(0);
	check(a->cuMemAlloc_v2(&p, 100) == 0);
	cuda.slow(another_makes);
	check(a->cuCtxDestroy_v2(context) == 0);
	counts(6, 1);
	check(a->cuMemRelease(other) == 0);
	counts(6, 0);
	check(cgoheap_stop());
}

#define THREADS 8
#define SEQUENCES (10000 / THREADS / SCALE)
#define LENGTH 20
#define HELD 64

enum held_as { FREE, BY_FREE, BY_FREE_ASYNC, BY_FREE_HOST, BY_UNREGISTER, BY_ARRAY, BY_MIPMAPS, BY_HANDLE, BY_MAPPING };

struct held {
	enum held_as as;
	uint64_t p, at;
	void *context;
};

struct worker {
	uint64_t random;
	struct held held[HELD];
	void *contexts[4]; // its own, one on each device, and the devices' primary ones
};

static pthread_barrier_t rest;

static uint32_t draw(struct worker *w, uint32_t n)
{
	w->random = w->random * 6364136223846793005ULL + 1442695040888963407ULL;
	return (uint32_t)(w->random >> 33) % n;
}

// What is from a pool ends with the primary context of its device.
static void *pool_of(const struct worker *w, const void *context)
{
	return context == w->contexts[0] || context == w->contexts[2] ? w->contexts[2] : w->contexts[3];
}

static int allocate(struct worker *w, const struct api *a, struct held *h, void *context)
{
	size_t pitch, bytes = 1 + draw(w, 100000);
	*h = (struct held){.context = context};
	switch (draw(w, 12)) {
	case 0:
		return h->as = BY_FREE, a->cuMemAlloc_v2(&h->p, bytes);
	case 1:
		return h->as = BY_FREE, a->cuMemAllocManaged(&h->p, bytes, 1);
	case 2:
		return h->as = BY_FREE, a->cuMemAllocPitch_v2(&h->p, &pitch, bytes, 1 + draw(w, 5), 4);
	case 3:
		return h->as = BY_FREE_ASYNC, h->context = pool_of(w, context), a->cuMemAllocAsync(&h->p, bytes, NULL);
	case 4:
		return h->as = BY_FREE_ASYNC, h->context = pool_of(w, context), a->cuMemAllocFromPoolAsync(&h->p, bytes, NULL, NULL);
	case 5:
		return h->as = BY_FREE_HOST, a->cuMemHostAlloc((void **)&h->p, bytes, 0);
	case 6:
		return h->as = BY_ARRAY, a->cuArray3DCreate_v2((void **)&h->p, &volume);
	case 7:
		return h->as = BY_ARRAY, a->cuArrayCreate_v2((void **)&h->p, &plane);
	case 8:
		return h->as = BY_MIPMAPS, a->cuMipmappedArrayCreate((void **)&h->p, &volume, 1 + draw(w, 8));
	case 9:
		return h->as = BY_FREE_HOST, a->cuMemAllocHost_v2((void **)&h->p, bytes);
	case 10:
		return h->as = BY_UNREGISTER, a->cuMemHostRegister_v2((void *)(h->p = (uintptr_t)h), bytes, 0);
	}
	return h->as = BY_HANDLE, h->context = NULL, a->cuMemCreate(&h->p, bytes, draw(w, 2) == 0 ? &on_first : &on_second, 0);
}

static int release(const struct api *a, const struct held *h)
{
	switch (h->as) {
	case FREE:
		return 0;
	case BY_FREE:
		return a->cuMemFree_v2(h->p);
	case BY_FREE_ASYNC:
		return a->cuMemFreeAsync(h->p, NULL);
	case BY_FREE_HOST:
		return a->cuMemFreeHost((void *)h->p);
	case BY_UNREGISTER:
		return a->cuMemHostUnregister((void *)h->p);
	case BY_ARRAY:
		return a->cuArrayDestroy((void *)h->p);
	case BY_MIPMAPS:
		return a->cuMipmappedArrayDestroy((void *)h->p);
	case BY_HANDLE:
		return a->cuMemRelease(h->p);
	case BY_MAPPING:
		return a->cuMemUnmap(h->at, 1 << 21);
	}
	return 0;
}

// A handle is mapped and released: the mapping holds it.
static void map(const struct api *a, struct held *h)
{
	check(cuda.reserve(&h->at, 1 << 21, 0, 0, 0) == 0);
	if (a->cuMemMap(h->at, 1 << 21, 0, h->p, 0) == 0) {
		check(a->cuMemRelease(h->p) == 0);
		h->as = BY_MAPPING;
	}
}

// The handle that is got again holds what the mapping has held.
static void unmap(const struct api *a, struct held *h)
{
	check(a->cuMemRetainAllocationHandle(&h->p, (void *)h->at) == 0 && a->cuMemUnmap(h->at, 1 << 21) == 0);
	h->as = BY_HANDLE;
}

static void is_gone(struct worker *w, const void *context)
{
	for (int k = 0; k < HELD; k++)
		if (w->held[k].context == context)
			w->held[k].as = FREE;
}

static void renew(struct worker *w, const struct api *a, int i)
{
	if (a->cuCtxDestroy_v2(w->contexts[i]) != 0)
		return;
	is_gone(w, w->contexts[i]);
	w->contexts[i] = a_context(i);
}

// Not the last release: it ends nothing.
static void retain_and_release(const struct api *a, int device)
{
	void *context;
	check(a->cuDevicePrimaryCtxRetain(&context, device) == 0 && a->cuDevicePrimaryCtxRelease_v2(device) == 0);
}

static void others_call(void)
{
	sched_yield();
}

static void step(struct worker *w)
{
	const struct api *a = &ways[draw(w, WAYS)];
	struct held *h = &w->held[draw(w, HELD)];
	int i = (int)draw(w, 4);
	cuda.set(w->contexts[i]);
	if (draw(w, 10) == 0)
		cuda.fail(1);
	if (draw(w, 10) == 0)
		cuda.slow(others_call);
	if (h->as == BY_HANDLE && draw(w, 2) == 0)
		cuda.fail(0), map(a, h);
	else if (h->as == BY_MAPPING && draw(w, 2) == 0)
		cuda.fail(0), unmap(a, h);
	else if (h->as != FREE)
		h->as = release(a, h) == 0 ? FREE : h->as;
	else if (allocate(w, a, h, w->contexts[i]) != 0)
		h->as = FREE;
	if (i < 2 && draw(w, 50) == 0)
		renew(w, a, i);
	cuda.fail(0);
	if (draw(w, 50) == 0)
		retain_and_release(a, i % 2);
	cuda.slow(NULL);
}

static void *work(void *worker)
{
	struct worker *w = worker;
	for (int i = 0; i < SEQUENCES; i++) {
		for (int k = 0; k < LENGTH; k++)
			step(w);
		if (i % 50 == 0) {
			pthread_barrier_wait(&rest);
			pthread_barrier_wait(&rest);
		}
	}
	for (int k = 0; k < HELD; k++)
		check(release(&ways[0], &w->held[k]) == 0);
	for (int i = 0; i < 2; i++)
		check(ways[0].cuCtxDestroy_v2(w->contexts[i]) == 0);
	return NULL;
}

// The primary context of a device ends, with what all threads have of it.
static void end_primary(struct worker *workers, int device, bool reset)
{
	const struct api *a = &ways[device];
	void *context = workers->contexts[2 + device], *again;
	check((reset ? a->cuDevicePrimaryCtxReset_v2(device) : a->cuDevicePrimaryCtxRelease_v2(device)) == 0);
	for (int i = 0; i < THREADS; i++)
		is_gone(&workers[i], context);
	check(reset || (a->cuDevicePrimaryCtxRetain(&again, device) == 0 && again == context));
	agrees();
}

static void at_random(void)
{
	static struct worker workers[THREADS];
	pthread_t threads[THREADS];
	void *primary[2];
	pthread_barrier_init(&rest, NULL, THREADS + 1);
	start(SAMPLED);
	for (int i = 0; i < 2; i++)
		check(ways[0].cuDevicePrimaryCtxRetain(&primary[i], i) == 0);
	for (int i = 0; i < THREADS; i++) {
		workers[i] = (struct worker){.random = (uint64_t)i, .contexts = {a_context(0), a_context(1), primary[0], primary[1]}};
		check(pthread_create(&threads[i], NULL, work, &workers[i]) == 0);
	}
	for (int i = 0; i < SEQUENCES; i += 50) {
		pthread_barrier_wait(&rest);
		agrees();
		end_primary(workers, i / 50 % 2, i / 100 % 2 == 0);
		pthread_barrier_wait(&rest);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	agrees();
	for (int i = 0; i < 2; i++)
		check(ways[0].cuDevicePrimaryCtxRelease_v2(i) == 0);
	check(totals().live == 0 && cgoheap_counted(COUNT_UNSEEN) == 0 && cgoheap_counted(COUNT_LOST_DEVICE) == 0);
	check(cgoheap_stop());
}

static void children(void)
{
	const struct api *a = &ways[0];
	uint64_t p, q;
	int status;
	start(SAMPLED);
	void *context = a_context(0);
	check(a->cuMemAlloc_v2(&p, 100) == 0);
	pid_t child = fork();
	if (child == 0) {
		check(a->cuMemAlloc_v2(&q, 50) == 0 && a->cuMemFree_v2(p) == 0 && a->cuMemCreate(&p, 1, &on_first, 0) == 0);
		check(a->cuCtxDestroy_v2(context) == 0 && dlsym(cuda.handle, "cuMemAlloc_v2") == (void *)ways[0].cuMemAlloc_v2);
		_exit(3);
	}
	check(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 3);
	counts(1, 1);
	check(a->cuCtxDestroy_v2(context) == 0);
	counts(1, 0);
	check(cgoheap_stop());
}

// A full table of what belongs to contexts: blocks are recorded all the same.
static void full_books(void)
{
	const struct api *a = &ways[0];
	static uint64_t p[3000];
	struct options o = {.table_bytes = 3 << 20, .sample_bytes = SAMPLED, .seed = 1, .max_depth = 8};
	check(cgoheap_prepare(&o) == 0);
	cgoheap_start();
	void *context = a_context(0);
	cgoheap_region->size = cgoheap_region->used + 65536; // the tables' room ends
	for (int i = 0; i < 3000; i++)
		check(a->cuMemAlloc_v2(&p[i], 100) == 0);
	check(cgoheap_counted(COUNT_LOST_DEVICE) > 0);
	check(recorded("cuda", "GPU 0").blocks + cgoheap_counted(COUNT_LOST_LIVE) == 3000);
	for (int i = 0; i < 3000; i++)
		check(a->cuMemFree_v2(p[i]) == 0);
	agrees();
	check(a->cuCtxDestroy_v2(context) == 0);
	check(cgoheap_stop());
}

static struct binding *watched;
static void *volatile visible; // the function, when its driver is about to be stored

static void at_store(int number)
{
	(void)number;
	visible = __atomic_load_n(&watched->real, __ATOMIC_ACQUIRE);
	mprotect(&watched->driver, 4096, PROT_READ | PROT_WRITE);
}

// A binding lies so that storing its driver is a fault.
static void driver_first(void)
{
	static const struct driver some;
	char *two = mmap(NULL, 2 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct sigaction old, to = {.sa_handler = at_store};
	watched = (struct binding *)(two + 4096 - offsetof(struct binding, driver));
	check(mprotect(two + 4096, 4096, PROT_READ) == 0 && sigaction(SIGSEGV, &to, &old) == 0);
	visible = two;
	check(driver_bind(watched, 1, two, &some) == 0 && sigaction(SIGSEGV, &old, NULL) == 0);
	check(visible == NULL && watched->real == two && watched->driver == &some);
	check(munmap(two, 2 * 4096) == 0);
}

typedef int number(void);
typedef void *look(const char *name);

static void lookups(void)
{
	void *first = dlopen("libfirst.so", RTLD_NOW | RTLD_GLOBAL), *second = dlopen("libsecond.so", RTLD_NOW | RTLD_GLOBAL);
	check(first != NULL && second != NULL);
	look *next_of = (look *)dlsym(first, "next_of"), *default_of = (look *)dlsym(first, "default_of");
	check(((number *)dlsym(first, "cu_number"))() == 1 && ((number *)dlsym(second, "cu_number"))() == 2);
	check(((number *)default_of("cu_number"))() == 1 && ((number *)dlsym(RTLD_DEFAULT, "cu_number"))() == 1);
	// The next one is the caller's, not ours.
	check(((number *)next_of("cu_number"))() == 2 && ((number *)next_of("one_number"))() == 2);
	look *next_of_second = (look *)dlsym(second, "next_of");
	check(dlsym(RTLD_NEXT, "cu_number") != NULL && next_of_second("cu_number") == NULL && next_of_second("one_number") == NULL);
	check(next_of("malloc") != NULL && dlsym(RTLD_DEFAULT, "malloc") != NULL);
	// Not a driver's: neither is answered for.
	int (*other)(uint64_t *, size_t) = (int (*)(uint64_t *, size_t))dlsym(first, "cuMemAlloc_v2");
	uint64_t p;
	Dl_info at;
	check(other(&p, 5) == 77 && p == 5 && dladdr((void *)other, &at) != 0 && strstr(at.dli_fname, "libfirst") != NULL);
	check(((int (*)(uint64_t))next_of("cuMemFree_v2"))(8) == 9 && next_of("cuMemFree_v2") == dlsym(second, "cuMemFree_v2"));
	// What is not there.
	dlerror();
	check(dlsym(second, "cuMemAlloc_v2") == NULL);
	const char *why = dlerror();
	check(why != NULL && strstr(why, "cuMemAlloc_v2") != NULL && dlerror() == NULL);
	check(dlsym(second, "nothing") == NULL && dlerror() != NULL);
	check(dlclose(first) == 0 && dlclose(second) == 0);
}

static void by_a_library(void)
{
	void *user = dlopen("libuser.so", RTLD_NOW);
	check(user != NULL);
	type_cuMemAlloc_v2 *allocates = (type_cuMemAlloc_v2 *)dlsym(user, "user_allocates");
	type_cuMemFree_v2 *frees = (type_cuMemFree_v2 *)dlsym(user, "user_frees");
	uint64_t p;
	start(SAMPLED);
	void *context = a_context(0);
	check(allocates(&p, 100) == 0);
#ifdef LINKED
	counts(1, 1);
#endif
	check(frees(p) == 0);
	check(ways[0].cuCtxDestroy_v2(context) == 0);
	agrees();
	check(cgoheap_stop() && dlclose(user) == 0);
}

#ifndef LINKED
static void others(const char *path, bool old)
{
	struct standin d;
	struct api a;
	void *context;
	uint64_t p, q, r;
	find(&d, path);
	look_up(&a, d.handle);
	start(SAMPLED);
	check((a.cuGetProcAddress_v2 == NULL) == old && (a.cuMemCreate == NULL) == old);
	check(dlsym(d.handle, "cuMemAddressReserve") == NULL ? old : !old);
	check(d.create(&context, 0, 1) == 0);
	check(a.cuMemAlloc_v2(&p, 100) == 0 && a.cuMemAllocManaged(&q, 50, 1) == 0 && a.cuMemAlloc_v2(&r, 10) == 0);
	check(totals().live == 3 && totals().live_bytes == 160);
	if (old)
		agrees_with(&d);
	else // it cannot be asked for the device, nor for the context
		check(recorded("cuda", NULL).bytes == 110);
	check(a.cuMemFree_v2(p) == 0 && totals().live == 2);
	check(a.cuCtxDestroy_v2(context) == 0 && totals().live == (old ? 0 : 2));
	check(dlclose(d.handle) == 0);
	check(dlopen(path, RTLD_NOW | RTLD_NOLOAD) == NULL);
	check(cgoheap_stop());
}

static void old_and_half(void)
{
	others("old/libcuda.so.1", true);
	others("half/libcuda.so.1", false);
}

// Closed and opened again, more often than there are hooks for one name.
static void closed(void)
{
	start(SAMPLED);
	for (int i = 0; i < 20; i++) {
		struct standin d;
		struct api a;
		void *context, *room = mmap(NULL, 1 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); // other addresses each time
		uint64_t p;
		find(&d, "old/libcuda.so.1");
		look_up(&a, d.handle);
		check(d.create(&context, 0, 0) == 0 && a.cuMemAlloc_v2(&p, 100) == 0);
		agrees_with(&d);
		check(totals().live == 1 && totals().allocs == (uint64_t)i + 1);
		check(dlclose(d.handle) == 0 && totals().live == 0);
		if (i % 2 == 0)
			munmap(room, 1 << 20);
	}
	check(cgoheap_stop());
}

// Two drivers at once, and more than are known.
static void several(void)
{
	static const char *const paths[] = {"old/libcuda.so.1", "half/libcuda.so.1", "a/libcuda.so.1", "b/libcuda.so.1", "c/libcuda.so.1"};
	struct standin d[5];
	struct api a[5];
	void *context;
	uint64_t p;
	start(SAMPLED);
	for (int i = 0; i < 5; i++) {
		find(&d[i], paths[i]);
		look_up(&a[i], d[i].handle);
		check(d[i].create(&context, 0, 0) == 0 && a[i].cuMemAlloc_v2(&p, 100) == 0);
	}
	uint64_t bytes;
	for (int i = 0; i < 5; i++) // each call came to its own driver
		check(d[i].blocks(0, 0, &bytes) == 1);
	check(totals().live == 4 && cgoheap_counted(COUNT_LOST_DRIVER) > 0);
	check(cgoheap_stop());
	start(SAMPLED); // what was looked up before is said, too
	check(cgoheap_counted(COUNT_LOST_DRIVER) > 0 && a[0].cuMemAlloc_v2(&p, 100) == 0);
	for (int i = 0; i < 5; i++)
		check(dlclose(d[i].handle) == 0);
	check(totals().live == 0);
	check(cgoheap_stop());
}

static void without(void)
{
	dlerror();
	check(dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD) == NULL);
	dlerror();
	check(dlsym(RTLD_DEFAULT, "cuMemAlloc_v2") == NULL && dlerror() != NULL);
	check(dlsym(dlopen(NULL, RTLD_NOW), "cuMemAlloc_v2") == NULL && dlerror() != NULL);
	check(dlclose(dlopen("libfirst.so", RTLD_NOW)) == 0);
}
#endif

int main(void)
{
#ifndef LINKED
	run("without a driver nothing has its names", without);
	run("old drivers, and such that lack functions", old_and_half);
	run("a driver that is closed takes its blocks along", closed);
	run("several drivers", several);
#endif
	open_driver();
	run("every function, on every way, is recorded with its kind, its device and its size", each_function);
	run("what fails is not recorded", failures);
	run("what later and earlier versions ask for", versions);
	run("contexts take their blocks along", implied);
	run("handles and mappings hold memory", mappings);
	run("mappings that are not known", unknown_mappings);
	run("what a call frees is another thread's before it returns", slow_calls);
	run("random calls agree with the driver's own books", at_random);
	run("a child records nothing", children);
	run("full tables", full_books);
	run("a library that is linked with the driver", by_a_library);
	run("dlsym is what it was", lookups);
	run("a function is bound after its driver", driver_first);
	return 0;
}
