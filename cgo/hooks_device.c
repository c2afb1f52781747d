//go:build linux && (amd64 || arm64) && cgo && !asan && !msan && !cgoheap_wrap

// Hooks of the functions of CUDA's driver (device_calls.h). Nothing leads a program here unless it imports allocators/cuda, or runs with a
// libcgoheap.so that was made for it. These define the public names: those of the driver's functions, for what is linked with it, and
// dlsym, because CUDA's own runtime and most others open the driver and look its functions up, mostly one, cuGetProcAddress, which then
// has the others.
//
// dlsym compares the name first. For any name but ours it jumps to the next dlsym, whose caller is then ours: RTLD_NEXT and RTLD_DEFAULT
// mean the caller's. For a name of ours it looks the function up, and answers with a hook that stands for just this function, if a
// driver has it. With RTLD_NEXT and RTLD_DEFAULT it jumps too: only the caller can ask that. In libcgoheap.so, which all look-ups find
// first, it never answers with a function of ours where without us there would be none.
//
// A hook is a load, a branch and a jump when nothing is recorded. The slow half calls the driver. What a driver, or a library before
// it, calls meanwhile is a part of that call.

#define _GNU_SOURCE
#include <dlfcn.h>

#include "device.h"
#include "device_calls.h"
#include "hooks.h"
#include "real.h"
#include "real_driver.h"
#include "real_objects.h"

#define BARE(...) __VA_ARGS__

#define PUBLIC 2 // the first hooks of a row are for its public names, the others for functions that were looked up
#define HOOKS 6  // of a row

#define ROW(does, name, since, parameters, arguments, more) ROW_##name,
enum row { DEVICE_CALLS(ROW) ROWS };

static struct binding bindings[ROWS][HOOKS];

struct name {
	const char *text;
	enum row row;
	int number;
};

#define NAME(text, row, number) {#text, ROW_##row, number},
static const struct name names[] = {DEVICE_NAMES(NAME)};
#define NAMES (sizeof names / sizeof *names)

static bool same(const char *p, const char *q)
{
	while (*p != 0 && *p == *q)
		p++, q++;
	return *p == *q;
}

// Binds the function that a public name stands for, where the loader did not bind the program's call to it because ours was there.
static void bind_behind(enum row row, unsigned hook)
{
	struct binding *b = &bindings[row][hook];
	for (size_t i = 0; i < NAMES && __atomic_load_n(&b->real, __ATOMIC_ACQUIRE) == NULL; i++) {
		void *real = names[i].row == row && names[i].number == (int)hook ? real_other(bindings, names[i].text) : NULL;
		const struct driver *driver = real == NULL ? NULL : driver_of(real);
		if (real != NULL)
			driver_bind(b, 1, real, driver != NULL ? driver : driver_any(bindings));
	}
}

// What a hook calls, and its driver, which is there before the function is.
static void *bound(enum row row, unsigned hook, const struct driver **driver)
{
	const struct binding *b = &bindings[row][hook];
	if (hook < PUBLIC)
		bind_behind(row, hook);
	void *real = __atomic_load_n(&b->real, __ATOMIC_ACQUIRE);
	*driver = __atomic_load_n(&b->driver, __ATOMIC_RELAXED);
	return real;
}

// Whether the call comes from outside of the driver.
static bool enter(void)
{
	return cgoheap_thread.in_driver++ == 0;
}

static void leave(void)
{
	cgoheap_thread.in_driver--;
}

static uint32_t current_device(const struct driver *d)
{
	int device;
	bool known = d != NULL && d->cuCtxGetDevice != NULL && d->cuCtxGetDevice(&device) == CUDA_SUCCESS && device >= 0;
	return known ? (uint32_t)device + 1 : 0;
}

static struct device_block in_context(const struct driver *d, uint64_t key, uint64_t size, enum device_kind kind)
{
	void *context = NULL;
	if (d != NULL && d->cuCtxGetCurrent != NULL && d->cuCtxGetCurrent(&context) != CUDA_SUCCESS)
		context = NULL;
	return (struct device_block){key, size, kind, kind == DEVICE_PINNED ? 0 : current_device(d), (uintptr_t)context};
}

// A pool may be another device's than the current one, or lie in the host's memory.
static struct device_block in_pool(const struct driver *d, uint64_t p, uint64_t size)
{
	int device;
	if (d == NULL || d->cuPointerGetAttribute == NULL || d->cuPointerGetAttribute(&device, CUDA_DEVICE_ORDINAL, p) != CUDA_SUCCESS)
		device = (int)current_device(d) - 1;
	else if (device < 0)
		return (struct device_block){p, size, DEVICE_PINNED, 0, 0};
	return (struct device_block){p, size, DEVICE_MEMORY, (uint32_t)(device + 1), device_pool_of((uint32_t)device)};
}

// The bytes of one channel, by CUarray_format; 0 for formats that are not known here.
static uint64_t channel(unsigned format)
{
	switch (format) {
	case 0x01: // 8 bits
	case 0x08:
		return 1;
	case 0x02: // 16
	case 0x09:
	case 0x10:
		return 2;
	case 0x03: // 32
	case 0x0a:
	case 0x20:
		return 4;
	}
	return 0;
}

static uint64_t side(size_t n, unsigned level)
{
	return n >> level != 0 ? n >> level : 1;
}

#define CUDA_ARRAY_LAYERED 0x01
#define CUDA_ARRAY_CUBEMAP 0x04

// The depth of layers and of a cube's faces is their number, in each level.
static uint64_t size3(const struct cuda_array3 *a, unsigned levels)
{
	bool layers = (a->flags & (CUDA_ARRAY_LAYERED | CUDA_ARRAY_CUBEMAP)) != 0;
	uint64_t size = 0;
	unsigned i = 0;
	if ((a->flags & (CUDA_ARRAY_SPARSE | CUDA_ARRAY_DEFERRED)) != 0)
		return 0;
	do {
		size += side(a->width, i) * side(a->height, i) * side(a->depth, layers ? 0 : i);
		i++;
	} while (i < levels && i < 64 && (a->width >> i != 0 || a->height >> i != 0 || (!layers && a->depth >> i != 0)));
	return size * channel(a->format) * a->channels;
}

static uint64_t size2(const struct cuda_array2 *a)
{
	return size3(&(struct cuda_array3){.width = a->width, .height = a->height, .format = a->format, .channels = a->channels}, 1);
}

static struct device_block in_array(const struct driver *d, void *array, uint64_t size)
{
	return in_context(d, device_key(DEVICE_ARRAY, (uintptr_t)array), size, DEVICE_MEMORY);
}

#define REAL_TYPE(does, name, since, parameters, arguments, more) typedef int real_##name parameters;
DEVICE_CALLS(REAL_TYPE)
#undef REAL_TYPE

// Begins a slow half: the real function, its driver d, and whether the call is the outer one.
#define BEGIN(name)                                                                                                    \
	const struct driver *d;                                                                                        \
	real_##name *real = (real_##name *)bound(ROW_##name, hook, &d);                                                \
	if (real == NULL)                                                                                              \
		return CUDA_ERROR_NOT_FOUND;                                                                           \
	bool outer = enter()

#define SLOW_GIVES(name, parameters, arguments, block)                                                                 \
	static SLOW int slow_##name(BARE parameters, unsigned hook)                                                    \
	{                                                                                                              \
		struct registers caller = CALLER_REGISTERS();                                                          \
		BEGIN(name);                                                                                           \
		int failed = real arguments;                                                                           \
		if (failed == CUDA_SUCCESS && outer) {                                                                 \
			struct device_block given = block;                                                             \
			device_give(&caller, &given);                                                                  \
		}                                                                                                      \
		leave();                                                                                               \
		return failed;                                                                                         \
	}

#define SLOW_TAKES(name, parameters, arguments, key)                                                                   \
	static SLOW int slow_##name(BARE parameters, unsigned hook)                                                    \
	{                                                                                                              \
		struct device_taking taking;                                                                           \
		BEGIN(name);                                                                                           \
		if (outer)                                                                                             \
			device_take(key, &taking);                                                                     \
		int failed = real arguments;                                                                           \
		if (outer)                                                                                             \
			device_taken(&taking, failed != CUDA_SUCCESS);                                                 \
		leave();                                                                                               \
		return failed;                                                                                         \
	}

#define SLOW_DOES(name, parameters, arguments, always)

#define SLOW_HALF(does, name, since, parameters, arguments, more) SLOW_##does(name, parameters, arguments, more)
DEVICE_CALLS(SLOW_HALF)
#undef SLOW_HALF

static uint64_t handle_key(uint64_t handle)
{
	return device_key(DEVICE_HANDLE, handle);
}

static SLOW int slow_cuMemCreate(uint64_t *to, size_t bytes, const struct cuda_properties *properties, uint64_t flags, unsigned hook)
{
	struct registers caller = CALLER_REGISTERS();
	BEGIN(cuMemCreate);
	int failed = real(to, bytes, properties, flags);
	if (failed == CUDA_SUCCESS && outer) {
		bool on_device = properties->location.type == CUDA_LOCATION_DEVICE;
		struct device_block given = {handle_key(*to), bytes, on_device ? DEVICE_MEMORY : DEVICE_PINNED, 0, 0};
		if (on_device)
			given.device = (uint32_t)properties->location.id + 1;
		device_hold(given.key);
		device_give(&caller, &given);
	}
	leave();
	return failed;
}

static SLOW int slow_cuMemRelease(uint64_t handle, unsigned hook)
{
	struct device_taking taking;
	BEGIN(cuMemRelease);
	if (outer)
		device_release(handle_key(handle), &taking);
	int failed = real(handle);
	if (outer)
		device_released(handle_key(handle), &taking, failed != CUDA_SUCCESS);
	leave();
	return failed;
}

static SLOW int slow_cuMemRetainAllocationHandle(uint64_t *to, void *at, unsigned hook)
{
	BEGIN(cuMemRetainAllocationHandle);
	int failed = real(to, at);
	if (failed == CUDA_SUCCESS && outer)
		device_hold_again(handle_key(*to));
	leave();
	return failed;
}

static SLOW int slow_cuMemMap(uint64_t at, size_t bytes, size_t offset, uint64_t handle, uint64_t flags, unsigned hook)
{
	BEGIN(cuMemMap);
	int failed = real(at, bytes, offset, handle, flags);
	if (failed == CUDA_SUCCESS && outer)
		device_map(handle_key(handle), at, bytes);
	leave();
	return failed;
}

static SLOW int slow_cuMemUnmap(uint64_t at, size_t bytes, unsigned hook)
{
	BEGIN(cuMemUnmap);
	uint32_t call = outer ? device_unmap(at, bytes) : 0;
	int failed = real(at, bytes);
	if (outer)
		device_unmapped(at, bytes, call, failed != CUDA_SUCCESS);
	leave();
	return failed;
}

// A device's primary context, which runtimes use.
#define DEVICES 64
static void *primary[DEVICES];

static uint64_t primary_of(int device)
{
	return device >= 0 && device < DEVICES ? (uintptr_t)__atomic_load_n(&primary[device], __ATOMIC_RELAXED) : 0;
}

static SLOW int slow_cuCtxDestroy_v2(void *context, unsigned hook)
{
	BEGIN(cuCtxDestroy_v2);
	bool ends = outer && context != NULL;
	uint32_t call = ends ? device_end_owned((uintptr_t)context, 0) : 0;
	int failed = real(context);
	if (ends)
		device_ended(call, failed != CUDA_SUCCESS);
	leave();
	return failed;
}

static SLOW int slow_cuDevicePrimaryCtxRetain(void **to, int device, unsigned hook)
{
	BEGIN(cuDevicePrimaryCtxRetain);
	(void)outer;
	int failed = real(to, device);
	if (failed == CUDA_SUCCESS && device >= 0 && device < DEVICES)
		__atomic_store_n(&primary[device], *to, __ATOMIC_RELAXED);
	leave();
	return failed;
}

// Only the last release ends the context, and which is the last is known afterwards.
static SLOW int slow_cuDevicePrimaryCtxRelease_v2(int device, unsigned hook)
{
	unsigned flags;
	int active = 1;
	BEGIN(cuDevicePrimaryCtxRelease_v2);
	int failed = real(device);
	if (failed == CUDA_SUCCESS && outer && d != NULL && d->cuDevicePrimaryCtxGetState != NULL &&
	    d->cuDevicePrimaryCtxGetState(device, &flags, &active) == CUDA_SUCCESS && !active)
		device_drop(device_pool_of((uint32_t)device), primary_of(device));
	leave();
	return failed;
}

static SLOW int slow_cuDevicePrimaryCtxReset_v2(int device, unsigned hook)
{
	BEGIN(cuDevicePrimaryCtxReset_v2);
	bool ends = outer && device >= 0;
	uint32_t call = ends ? device_end_owned(device_pool_of((uint32_t)device), primary_of(device)) : 0;
	int failed = real(device);
	if (ends)
		device_ended(call, failed != CUDA_SUCCESS);
	leave();
	return failed;
}

static void *answer_for(enum row row, void *found, const struct driver *driver);
static bool asked_for(const char *asked, int version, void *found, enum row *row);

static SLOW int slow_cuGetProcAddress_v2(const char *name, void **to, int version, uint64_t flags, void *status, unsigned hook)
{
	enum row row;
	BEGIN(cuGetProcAddress_v2);
	int failed = real(name, to, version, flags, status);
	if (failed == CUDA_SUCCESS && outer && name != NULL && to != NULL && *to != NULL && asked_for(name, version, *to, &row))
		*to = answer_for(row, *to, d);
	leave();
	return failed;
}

// Whether a slow half runs even if nothing is recorded.
#define ALWAYS_GIVES(more) false
#define ALWAYS_TAKES(more) false
#define ALWAYS_DOES(more) more

#define HOOK_OF(does, name, arguments, more, n, call)                                                                  \
	{                                                                                                              \
		real_##name *real = (real_##name *)__atomic_load_n(&bindings[ROW_##name][n].real, __ATOMIC_ACQUIRE);   \
		if (likely(!(ALWAYS_##does(more)) && (int32_t)GENERATION() <= 0 && real != NULL))                      \
			return real arguments;                                                                         \
		return call;                                                                                           \
	}

#undef HOOK
#define HOOK(storage, hook, does, name, parameters, arguments, more, n)                                                 \
	storage real_##name hook;                                                                                      \
	storage int hook parameters HOOK_OF(does, name, arguments, more, n, slow_##name(BARE arguments, n))

#define HOOKS_OF_ROW(does, name, since, parameters, arguments, more)                                                   \
	HOOK(, cgoheap_device_##name##_0, does, name, parameters, arguments, more, 0)                                  \
	HOOK(, cgoheap_device_##name##_1, does, name, parameters, arguments, more, 1)                                  \
	HOOK(static, hook_##name##_2, does, name, parameters, arguments, more, 2)                                      \
	HOOK(static, hook_##name##_3, does, name, parameters, arguments, more, 3)                                      \
	HOOK(static, hook_##name##_4, does, name, parameters, arguments, more, 4)                                      \
	HOOK(static, hook_##name##_5, does, name, parameters, arguments, more, 5)
DEVICE_CALLS(HOOKS_OF_ROW)
#undef HOOKS_OF_ROW

#define ALL_HOOKS(does, name, since, parameters, arguments, more) \
	{(void *)cgoheap_device_##name##_0, (void *)cgoheap_device_##name##_1, (void *)hook_##name##_2, (void *)hook_##name##_3, \
		(void *)hook_##name##_4, (void *)hook_##name##_5},
static void *const hooks[ROWS][HOOKS] = {DEVICE_CALLS(ALL_HOOKS)};

#define SINCE(does, name, since, parameters, arguments, more) since,
static const int since[ROWS] = {DEVICE_CALLS(SINCE)};

#define KNOWN_VERSIONS 14000 // of CUDA, below which the functions have these parameters

static const struct name *named(const char *text)
{
	for (size_t i = 0; i < NAMES; i++)
		if (same(names[i].text, text))
			return &names[i];
	return NULL;
}

// The hook that stands for a driver's function; the function itself if there is none.
static void *answer_for(enum row row, void *found, const struct driver *driver)
{
	int n = driver == NULL ? -1 : driver_bind(&bindings[row][PUBLIC], HOOKS - PUBLIC, found, driver);
	device_books_lose(driver_lost());
	return n < 0 ? found : hooks[row][PUBLIC + n];
}

// Whether a driver exports the function under a name of the row.
static bool exported(enum row row, void *found)
{
	for (size_t i = 0; i < NAMES; i++) {
		void *at = NULL;
		if (names[i].row == row && real_beside(found, &names[i].text, &at, 1) && at == found)
			return true;
	}
	return false;
}

// Whether text is name, or name with _v2.
static bool is_version_of(const char *text, const char *name)
{
	while (*name != 0 && *text == *name)
		text++, name++;
	return *name == 0 && (*text == 0 || same(text, "_v2"));
}

// The row of a function that a driver gave for a name without a version, and a version of CUDA. A later version may have other parameters.
static bool asked_for(const char *asked, int version, void *found, enum row *row)
{
	for (size_t i = 0; i < NAMES; i++)
		if (is_version_of(names[i].text, asked)) {
			*row = names[i].row;
			return version >= since[*row] && (version < KNOWN_VERSIONS || exported(*row, found));
		}
	return false;
}

typedef void *look_up(void *handle, const char *name);
typedef int close_library(void *handle);

// glibc's own name, which a static executable has.
extern look_up ___dlsym __attribute__((weak, visibility("hidden")));

static void *next_of(void **known, const char *name)
{
	void *found = __atomic_load_n(known, __ATOMIC_RELAXED);
	if (likely(found != NULL) || real_look_up == NULL) // before this object is relocated nothing can be asked
		return found;
	found = real_other(bindings, name);
	__atomic_store_n(known, found, __ATOMIC_RELAXED);
	return found;
}

static void *known_dlsym, *known_dlclose;

close_library cgoheap_device_dlclose;
look_up cgoheap_device_dlsym;

#ifdef CGOHEAP_DEVICES // libcgoheap.so: all other objects see its names
#define PUBLIC_NAME(name, row, number) \
	extern __typeof(cgoheap_device_##row##_##number) name __attribute__((visibility("default"), alias("cgoheap_device_" #row "_" #number)));
DEVICE_NAMES(PUBLIC_NAME)
extern __typeof(cgoheap_device_dlsym) dlsym __attribute__((visibility("default"), alias("cgoheap_device_dlsym")));
extern __typeof(cgoheap_device_dlclose) dlclose __attribute__((visibility("default"), alias("cgoheap_device_dlclose")));
#define IS_PUBLIC true
#else
#define IS_PUBLIC false
#endif

// What there is behind this library. Otherwise as dlsym, also in what dlerror returns.
static __attribute__((noinline)) void *look_behind(look_up *real, const char *name)
{
	void *found = real(RTLD_NEXT, name);
	__asm__ volatile(""); // no jump: the caller of real is here
	return found;
}

// Whether the function that dlsym finds can only be ours. Without us there would be none.
static bool is_ours_alone(void *handle, const char *name)
{
	return IS_PUBLIC && (handle == RTLD_NEXT ? real_after(bindings, name) : real_other(bindings, name)) == NULL;
}

// real must see our caller, so a call of it is a jump, also with -fno-optimize-sibling-calls.
#if __has_attribute(musttail)
#define JUMPS
#define JUMP __attribute__((musttail)) return
#else
#define JUMPS __attribute__((optimize("optimize-sibling-calls")))
#define JUMP return
#endif

JUMPS void *cgoheap_device_dlsym(void *handle, const char *name)
{
	look_up *real = (look_up *)next_of(&known_dlsym, "dlsym");
	if (real == NULL && (real = ___dlsym) == NULL)
		return NULL;
	if (likely(name == NULL || name[0] != 'c' || name[1] != 'u'))
		JUMP real(handle, name);
	const struct name *ours = named(name);
	if (ours == NULL)
		JUMP real(handle, name);
	if ((handle == RTLD_NEXT || handle == RTLD_DEFAULT) && is_ours_alone(handle, name))
		return look_behind(real, name);
	if (handle == RTLD_NEXT || handle == RTLD_DEFAULT)
		JUMP real(handle, name);
	void *found = real(handle, name);
	if (IS_PUBLIC && found == hooks[ours->row][ours->number]) // the handle is the program's
		found = look_behind(real, name);
	return found == NULL ? NULL : answer_for(ours->row, found, driver_of(found));
}

static void forget_driver(const struct driver *gone)
{
	for (int row = 0; row < ROWS; row++)
		for (int i = 0; i < HOOKS; i++)
			driver_unbind(&bindings[row][i], gone);
	for (int i = 0; i < DEVICES; i++)
		__atomic_store_n(&primary[i], NULL, __ATOMIC_RELAXED);
	device_drop(0, 0);
}

// A driver that is closed ends what it gave.
int cgoheap_device_dlclose(void *handle)
{
	const struct driver *gone;
	close_library *real = (close_library *)next_of(&known_dlclose, "dlclose");
	if (real == NULL)
		return -1;
	if (likely(!driver_known()))
		return real(handle);
	int failed = real(handle);
	while (driver_gone(&gone)) {
		forget_driver(gone);
		driver_forget(gone);
	}
	return failed;
}
