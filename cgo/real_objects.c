//go:build linux && (amd64 || arm64) && cgo && !asan && !msan && !cgoheap_wrap

// What a loaded object itself defines, asked of its symbol table: dlsym asks for the objects that it depends on as well, and
// has no way to go on from an object that it found. It is read in place, as the loader wrote it.

#define _GNU_SOURCE
#include "real_objects.h"

#include <elf.h>
#include <link.h>
#include <string.h>

#if !REAL_SANITIZED

#define HIDDEN 0x8000 // in .gnu.version: another version of the symbol is the default

struct symbols {
	const ElfW(Sym) *table;
	const char *strings;
	const uint32_t *hash; // .gnu.hash: buckets, first symbol, words of the filter, its shift; the filter, the buckets, the chains
	const uint16_t *versions;
};

// glibc writes addresses into its copy of the table, musl leaves what the file has.
static const void *address_in(const struct dl_phdr_info *object, uintptr_t p)
{
	return (const void *)(p < object->dlpi_addr ? object->dlpi_addr + p : p);
}

static struct symbols symbols_of(const struct dl_phdr_info *object)
{
	struct symbols s = {0};
	const ElfW(Dyn) *d = NULL;
	for (int i = 0; i < object->dlpi_phnum; i++)
		if (object->dlpi_phdr[i].p_type == PT_DYNAMIC)
			d = (const ElfW(Dyn) *)(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr);
	for (; d != NULL && d->d_tag != DT_NULL; d++)
		switch (d->d_tag) {
		case DT_SYMTAB:
			s.table = address_in(object, d->d_un.d_ptr);
			break;
		case DT_STRTAB:
			s.strings = address_in(object, d->d_un.d_ptr);
			break;
		case DT_GNU_HASH:
			s.hash = address_in(object, d->d_un.d_ptr);
			break;
		case DT_VERSYM:
			s.versions = address_in(object, d->d_un.d_ptr);
			break;
		}
	return s;
}

static uint32_t hash_of(const char *name)
{
	uint32_t h = 5381;
	for (; *name != 0; name++)
		h = 33 * h + (unsigned char)*name;
	return h;
}

static bool is_it(const struct symbols *s, uint32_t i, const char *name)
{
	const ElfW(Sym) *y = &s->table[i];
	return y->st_shndx != SHN_UNDEF && (y->st_info & 0xf) == STT_FUNC && strcmp(s->strings + y->st_name, name) == 0 &&
	       (s->versions == NULL || (s->versions[i] & HIDDEN) == 0);
}

static void *defined_by(const struct dl_phdr_info *object, const char *name)
{
	struct symbols s = symbols_of(object);
	if (s.table == NULL || s.strings == NULL || s.hash == NULL || s.hash[0] == 0)
		return NULL;
	uint32_t buckets = s.hash[0], first = s.hash[1], hash = hash_of(name);
	const uint32_t *bucket = s.hash + 4 + s.hash[2] * (sizeof(ElfW(Addr)) / 4);
	uint32_t i = bucket[hash % buckets];
	if (i < first)
		return NULL;
	for (const uint32_t *chain = bucket + buckets - first;; i++) {
		if ((chain[i] | 1) == (hash | 1) && is_it(&s, i, name))
			return (void *)(object->dlpi_addr + s.table[i].st_value);
		if ((chain[i] & 1) != 0)
			return NULL;
	}
}

struct search {
	struct real *found;
	int left; // how many objects to pass over
};

static int take_family(struct dl_phdr_info *object, size_t size, void *search)
{
	struct search *s = search;
	struct real *r = s->found;
	(void)size;
	r->malloc = defined_by(object, "malloc");
	r->free = defined_by(object, "free");
	r->calloc = defined_by(object, "calloc");
	r->realloc = defined_by(object, "realloc");
	r->memalign = defined_by(object, "memalign");
	r->aligned_alloc = defined_by(object, "aligned_alloc");
	r->posix_memalign = defined_by(object, "posix_memalign");
	r->malloc_usable_size = defined_by(object, "malloc_usable_size");
	return real_complete(r) && r->malloc != real_hook && s->left-- == 0;
}

bool real_of_object(struct real *found, int which)
{
	struct search s = {found, which};
	return dl_iterate_phdr(take_family, &s) == 1;
}

#endif
