// A program with memory on the stand-in's devices, without Go: devices WAY WHAT…. WAY is how it finds the driver's functions: dlsym; ask, by
// cuGetProcAddress; or linked, if it is compiled with -DLINKED and linked with the driver. The functions sum_… allocate. It prints "+" for
// what they are given and "-" for what is freed, each with the function, the kind, the device and the bytes; and at the end, by the driver's
// own books, the blocks and bytes in use of each kind.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../../cgo/device_calls.h"
#include "../../../cgo/testdata/cuda/cuda.h"

#define CALLS(X) \
	X(create, "cuCtxCreate_v2", "cuCtxCreate", (void **context, unsigned flags, int device)) \
	X(destroy, "cuCtxDestroy_v2", "cuCtxDestroy", (void *context)) \
	X(alloc, "cuMemAlloc_v2", "cuMemAlloc", (uint64_t *p, size_t bytes)) \
	X(take, "cuMemFree_v2", "cuMemFree", (uint64_t p)) \
	X(managed, "cuMemAllocManaged", "cuMemAllocManaged", (uint64_t *p, size_t bytes, unsigned flags)) \
	X(host, "cuMemHostAlloc", "cuMemHostAlloc", (void **p, size_t bytes, unsigned flags)) \
	X(handle, "cuMemCreate", "cuMemCreate", (uint64_t *handle, size_t bytes, const struct cuda_properties *properties, uint64_t flags)) \
	X(release, "cuMemRelease", "cuMemRelease", (uint64_t handle)) \
	X(mipmaps, "cuMipmappedArrayCreate", "cuMipmappedArrayCreate", (void **array, const struct cuda_array3 *a, unsigned levels))

#define POINTER(field, name, asked, parameters) int(*field) parameters;
static struct {
	CALLS(POINTER)
	__typeof(standin_blocks) *blocks;
	__typeof(standin_fail) *fail;
	__typeof(standin_lose) *lose;
} cuda;

static void check(int is, const char *what)
{
	if (!is) {
		fprintf(stderr, "devices: %s\n", what);
		exit(9);
	}
}

#ifdef LINKED
int cuCtxCreate_v2(void **context, unsigned flags, int device);
int cuCtxDestroy_v2(void *context);
int cuMemAlloc_v2(uint64_t *p, size_t bytes);
int cuMemFree_v2(uint64_t p);
int cuMemAllocManaged(uint64_t *p, size_t bytes, unsigned flags);
int cuMemHostAlloc(void **p, size_t bytes, unsigned flags);
int cuMemCreate(uint64_t *handle, size_t bytes, const struct cuda_properties *properties, uint64_t flags);
int cuMemRelease(uint64_t handle);
int cuMipmappedArrayCreate(void **array, const struct cuda_array3 *a, unsigned levels);

static void link_all(void)
{
	cuda.create = cuCtxCreate_v2, cuda.destroy = cuCtxDestroy_v2, cuda.alloc = cuMemAlloc_v2, cuda.take = cuMemFree_v2;
	cuda.managed = cuMemAllocManaged, cuda.host = cuMemHostAlloc, cuda.handle = cuMemCreate, cuda.release = cuMemRelease;
	cuda.mipmaps = cuMipmappedArrayCreate, cuda.blocks = standin_blocks, cuda.fail = standin_fail, cuda.lose = standin_lose;
}
#else
static void link_all(void)
{
	check(0, "it is not linked with the driver");
}
#endif

static void *driver;

// Old drivers lack some of these, and cuGetProcAddress.
static void find(const char *way)
{
	if (strcmp(way, "linked") == 0) {
		link_all();
		return;
	}
	driver = dlopen("libcuda.so.1", RTLD_NOW);
	check(driver != NULL, "no driver");
	int (*ask)(const char *, void **, int, uint64_t, void *) = NULL;
	if (strcmp(way, "ask") == 0)
		check((ask = dlsym(driver, "cuGetProcAddress_v2")) != NULL, "no cuGetProcAddress");
#define FIND(field, name, asked, parameters) \
	if (ask == NULL) \
		cuda.field = dlsym(driver, name); \
	else \
		check(ask(asked, (void **)&cuda.field, 12000, 0, NULL) == 0, asked);
	CALLS(FIND)
	cuda.blocks = dlsym(driver, "standin_blocks");
	cuda.fail = dlsym(driver, "standin_fail");
	cuda.lose = dlsym(driver, "standin_lose");
}

static const char *const kinds[] = {"cuda", "cuda managed", "cuda pinned"};

struct given {
	const char *function;
	int kind, device;
	uint64_t p, bytes;
};

static struct given given[64];
static int count;

static void note(char sign, const struct given *g)
{
	printf("%c %s,%s,%d,%lu\n", sign, g->function, kinds[g->kind], g->device, g->bytes);
}

static void gave(int failed, struct given g)
{
	check(failed == 0, g.function);
	given[count++] = g;
	note('+', &g);
}

#define SITE __attribute__((noinline))

SITE void sum_alloc(size_t bytes, int device)
{
	struct given g = {"sum_alloc", 0, device, 0, bytes};
	int failed = cuda.alloc(&g.p, bytes);
	gave(failed, g);
}

SITE void sum_managed(size_t bytes, int device)
{
	struct given g = {"sum_managed", 1, device, 0, bytes};
	int failed = cuda.managed(&g.p, bytes, 1);
	gave(failed, g);
}

SITE void sum_host(size_t bytes)
{
	struct given g = {"sum_host", 2, -1, 0, bytes};
	int failed = cuda.host((void **)&g.p, bytes, 0);
	gave(failed, g);
}

SITE void sum_handle(size_t bytes, int device)
{
	struct given g = {"sum_handle", 0, device, 0, bytes};
	struct cuda_properties properties = {.location = {CUDA_LOCATION_DEVICE, device}};
	int failed = cuda.handle(&g.p, bytes, &properties, 0);
	gave(failed, g);
}

SITE void sum_mipmaps(int device)
{
	struct given g = {"sum_mipmaps", 0, device, 0, (64 * 32 + 32 * 16) * 4};
	struct cuda_array3 a = {64, 32, 0, 0x20, 1, 0};
	int failed = cuda.mipmaps((void **)&g.p, &a, 2);
	gave(failed, g);
}

static void *contexts[2];

static void give_all(void)
{
	for (int device = 0; device < 2; device++) {
		check(cuda.create(&contexts[device], 0, device) == 0, "no context");
		for (int i = 1; i <= 3; i++) {
			sum_alloc((size_t)i << 20, device);
			sum_managed((size_t)i * 1000, device);
			sum_host((size_t)i * 77);
		}
		if (cuda.handle != NULL)
			sum_handle(5 << 20, device);
		sum_mipmaps(device);
	}
}

// The first of a function's blocks is freed.
static void take(const char *function, int (*by)(uint64_t))
{
	for (int i = 0; i < count; i++)
		if (strcmp(given[i].function, function) == 0) {
			check(by(given[i].p) == 0, "a free");
			note('-', &given[i]);
			given[i].function = "freed";
			return;
		}
}

// The second context was the current one for all that is on its device, and made by nothing but contexts.
static void destroy(void)
{
	check(cuda.destroy(contexts[1]) == 0, "the context");
	for (int i = 0; i < count; i++)
		if (given[i].device == 1 && strcmp(given[i].function, "sum_handle") != 0)
			note('-', &given[i]);
	for (int i = 0, seen = 0; i < count; i++)
		if (given[i].kind == 2 && ++seen > 3)
			note('-', &given[i]);
}

SITE int sum_child(uint64_t *p, size_t bytes)
{
	int failed = cuda.alloc(p, bytes);
	__asm__ volatile("");
	return failed;
}

// What a child of fork does, and what fails, does not count.
static void child(void)
{
	int status;
	pid_t pid = fork();
	uint64_t p;
	if (pid == 0)
		_exit(sum_child(&p, 12345) == 0 && cuda.take(p) == 0 && cuda.take(given[3].p) == 0 && sum_child(&p, 5) == 0 ? 3 : 4);
	check(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 3, "a child");
}

static void fail(void)
{
	uint64_t p;
	cuda.fail(2);
	check(cuda.alloc(&p, 1) == 2 && cuda.take(given[1].p) == 2, "what fails");
	cuda.lose(1);
	check(cuda.alloc(&p, 1) == 719 && cuda.take(given[1].p) == 719 && cuda.destroy(contexts[0]) == 719, "a lost context");
	cuda.lose(0);
}

static void leave(void)
{
	check(dlclose(driver) == 0 && dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD) == NULL, "the driver stays");
	for (int i = 0; i < count; i++)
		if (strcmp(given[i].function, "freed") != 0)
			note('-', &given[i]);
}

#ifndef LINKED
int cuMemAllocHost_v2(void **p, size_t bytes) __attribute__((weak));
#define WEAK(p) (cuMemAllocHost_v2 == NULL ? 0 : cuMemAllocHost_v2(&p, 1))
#else
#define WEAK(p) 0
#endif

// Without a driver there are none of its functions, whoever asks by dlsym; and one that is asked for as a weak symbol does nothing.
static void absent(void)
{
	void *volatile found; // so that no call is a jump
	void *program = dlopen(NULL, RTLD_NOW);
	check(dlopen("libcuda.so.1", RTLD_NOW) == NULL && dlerror() != NULL, "there is a driver");
	found = dlsym(RTLD_DEFAULT, "cuMemAlloc_v2");
	check(found == NULL && dlerror() != NULL, "RTLD_DEFAULT finds a function");
	found = dlsym(RTLD_NEXT, "cuMemAlloc_v2");
	check(found == NULL && dlerror() != NULL, "RTLD_NEXT finds a function");
	found = dlsym(program, "cuGetProcAddress");
	check(found == NULL && dlerror() != NULL, "the program has a function");
	found = dlsym(RTLD_NEXT, "malloc");
	check(found != NULL && dlsym(program, "free") != NULL && dlerror() == NULL, "libc is not found");
	void *p = NULL;
	int failed = WEAK(p);
	check(p == NULL, "memory without a driver");
	printf("absent, weak %d\n", failed);
}

int main(int n, char **words)
{
	if (n > 1 && strcmp(words[1], "absent") == 0) {
		absent();
		return 3;
	}
	find(n > 1 ? words[1] : "dlsym");
	for (int i = 2; i < n; i++) {
		if (strcmp(words[i], "give") == 0)
			give_all();
		if (strcmp(words[i], "take") == 0) {
			take("sum_alloc", cuda.take);
			take("sum_managed", cuda.take);
			if (cuda.release != NULL)
				take("sum_handle", cuda.release);
		}
		if (strcmp(words[i], "destroy") == 0)
			destroy();
		if (strcmp(words[i], "fork") == 0)
			child();
		if (strcmp(words[i], "fail") == 0)
			fail();
		if (strcmp(words[i], "close") == 0) {
			leave();
			return 3;
		}
	}
	for (int kind = 0; kind < 3; kind++)
		for (int device = 0; device < (kind == 2 ? 1 : 2); device++) {
			uint64_t bytes;
			int blocks = cuda.blocks(kind, device, &bytes);
			printf("books %s,%d,%d,%lu\n", kinds[kind], kind == 2 ? -1 : device, blocks, bytes);
		}
	return 3;
}
