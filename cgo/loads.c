//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

// An address identifies a library only while that library is loaded. Between two readings of the list, a library may
// have been closed and another loaded at its address, and the hooks cannot ask: the loader answers under its locks. But
// glibc counts the libraries that it loads, in a word of its global data, which can be read at any time. An index of
// libraries keeps the count from just before they were listed. While the count is the same, each library is either
// still there, or closed with no other at its address. Otherwise, only libraries that cannot be unloaded can be
// trusted.
//
// Code made at run time may also take the address of a closed library. So the number of libraries in the program's
// namespace is watched too, with which the loader's global data begin: if neither number has changed, no library was
// closed.
//
// The word is found by its value, which dl_iterate_phdr reports. Other words may have the same value by chance, so
// several are watched, and each is dropped when it no longer has the value. A wrong word only costs a useless reading
// of the list. If no word is found, changes are not noticed; musl, which never unloads, needs none.

#define _GNU_SOURCE
#include "loads.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/auxv.h>

static const uint64_t *words[LOADS_WORDS - 1];
static int known;
static const uint64_t *loaded; // NULL if it is not where it should be

#if defined(__GLIBC__) && !defined(CGOHEAP_WRAP)
// Takes the last words with these values: the data before the count is larger and more varied than the data after it,
// so matches by chance mostly come first.
static void find(uint64_t count, uint64_t still)
{
	uint64_t *globals = dlsym(RTLD_DEFAULT, "_rtld_global");
	const ElfW(Sym) *symbol = NULL;
	Dl_info info;
	if (globals == NULL || dladdr1(globals, &info, (void **)&symbol, RTLD_DL_SYMENT) == 0 || symbol == NULL)
		return;
	if (globals[0] == (uintptr_t)dlopen(NULL, RTLD_LAZY) && globals[1] == still)
		loaded = &globals[1];
	for (size_t i = symbol->st_size / sizeof *globals; i > 0 && known < LOADS_WORDS - 1; i--)
		if (&globals[i - 1] != loaded && __atomic_load_n(&globals[i - 1], __ATOMIC_RELAXED) == count)
			words[known++] = &globals[i - 1];
}
#else
static void find(uint64_t count, uint64_t still)
{
	(void)count, (void)still;
}
#endif

// The count cannot change meanwhile: the loader holds the lock of its list.
static int read_words(struct dl_phdr_info *object, size_t size, void *loads)
{
	(void)size;
	struct loads *l = loads;
	int left = 0;
	l->count = object->dlpi_adds;
	for (int i = 0; i < known; i++)
		if (__atomic_load_n(words[i], __ATOMIC_RELAXED) == l->count)
			words[left++] = words[i];
	known = left;
	for (int i = 0; i < known; i++)
		l->words[i] = (struct load){words[i], l->count};
	l->adds = known;
	uint64_t still = object->dlpi_adds - object->dlpi_subs; // in all namespaces
	if (loaded != NULL && __atomic_load_n(loaded, __ATOMIC_RELAXED) == still)
		l->words[known] = (struct load){loaded, still};
	return 1;
}

struct numbers {
	uint64_t count, still;
};

static int take_numbers(struct dl_phdr_info *object, size_t size, void *numbers)
{
	(void)size;
	*(struct numbers *)numbers = (struct numbers){object->dlpi_adds, object->dlpi_adds - object->dlpi_subs};
	return 1;
}

void loads_read(struct loads *l)
{
	static bool looked;
	*l = (struct loads){0};
	if (!looked) {
		struct numbers now; // find asks under other locks of the loader's than the list's
		dl_iterate_phdr(take_numbers, &now);
		find(now.count, now.still);
		looked = true;
	}
	dl_iterate_phdr(read_words, l);
}

static size_t first_objects = 1; // which the loader lists first, and keeps forever

static int count_object(struct dl_phdr_info *object, size_t size, void *count)
{
	(void)object, (void)size;
	++*(size_t *)count;
	return 0;
}

extern const ElfW(Ehdr) __ehdr_start __attribute__((weak, visibility("hidden"))); // of the object that this is linked into

__attribute__((constructor)) static void before_main(void)
{
	size_t count = 0;
	if (&__ehdr_start == NULL || (uintptr_t)&__ehdr_start + __ehdr_start.e_phoff != getauxval(AT_PHDR))
		return;
	dl_iterate_phdr(count_object, &count);
	first_objects = count;
}

struct biases {
	uint64_t *list;
	size_t max, count, all; // all: how many objects to list
};

static int list_bias(struct dl_phdr_info *object, size_t size, void *biases)
{
	(void)size;
	struct biases *b = biases;
	if (b->count < b->max)
		b->list[b->count] = object->dlpi_addr;
	return ++b->count == b->all;
}

size_t loads_biases(bool forever, uint64_t *biases, size_t max)
{
	struct biases b = {.list = biases, .max = max, .all = forever ? first_objects : SIZE_MAX};
	dl_iterate_phdr(list_bias, &b);
	return b.count;
}
