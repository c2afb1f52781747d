//go:build linux && (amd64 || arm64) && cgo && !asan && !msan && !cgoheap_wrap

// Finds what a loaded object itself defines, in its symbol table: dlsym also searches the objects that it depends on,
// and cannot continue after an object that it found. The table is read in place, as the loader left it.

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
	const uint32_t *older; // .hash: buckets, symbols
	const uint16_t *versions;
};

// An address in the dynamic section: glibc replaces the file's offsets by addresses, musl does not.
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
		case DT_HASH:
			s.older = address_in(object, d->d_un.d_ptr);
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
	return y->st_shndx != SHN_UNDEF && strcmp(s->strings + y->st_name, name) == 0 &&
	       (s->versions == NULL || (s->versions[i] & HIDDEN) == 0);
}

// For the few objects that have nothing faster.
static const ElfW(Sym) *find_in_all(const struct symbols *s, const char *name)
{
	for (uint32_t i = 1; s->older != NULL && i < s->older[1]; i++)
		if (is_it(s, i, name))
			return &s->table[i];
	return NULL;
}

static const ElfW(Sym) *find_in(const struct symbols *s, const char *name)
{
	if (s->table == NULL || s->strings == NULL)
		return NULL;
	if (s->hash == NULL || s->hash[0] == 0)
		return find_in_all(s, name);
	uint32_t buckets = s->hash[0], first = s->hash[1], hash = hash_of(name);
	const uint32_t *bucket = s->hash + 4 + s->hash[2] * (sizeof(ElfW(Addr)) / 4);
	uint32_t i = bucket[hash % buckets];
	if (i < first)
		return NULL;
	for (const uint32_t *chain = bucket + buckets - first;; i++) {
		if ((chain[i] | 1) == (hash | 1) && is_it(s, i, name))
			return &s->table[i];
		if ((chain[i] & 1) != 0)
			return NULL;
	}
}

static void *defined_by(const void *object, const char *name)
{
	const struct dl_phdr_info *in = object;
	struct symbols s = symbols_of(in);
	const ElfW(Sym) *y = find_in(&s, name);
	return y != NULL && (y->st_info & 0xf) == STT_FUNC ? (void *)(in->dlpi_addr + y->st_value) : NULL;
}

struct search {
	struct real *found;
	const void *own;
	int left; // how many objects to skip
};

static int take_family(struct dl_phdr_info *object, size_t size, void *search)
{
	struct search *s = search;
	(void)size;
	family_find(s->found, defined_by, object);
	return family_complete(s->found) && (const void *)s->found->malloc != s->own && s->left-- == 0;
}

bool real_of_object(struct real *found, const void *own, int which)
{
	struct search s = {found, own, which};
	return dl_iterate_phdr(take_family, &s) == 1;
}

struct entry {
	void *found, *behind;
	const char *name;
	bool passed; // the object that found is in
};

static bool contains(const struct dl_phdr_info *object, const void *p)
{
	for (int i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &object->dlpi_phdr[i];
		if (h->p_type == PT_LOAD && (uintptr_t)p - (object->dlpi_addr + h->p_vaddr) < h->p_memsz)
			return true;
	}
	return false;
}

static int follow(struct dl_phdr_info *object, size_t size, void *entry)
{
	struct entry *e = entry;
	(void)size;
	if (e->passed) {
		e->behind = defined_by(object, e->name);
		return e->behind != NULL;
	}
	e->passed = contains(object, e->found);
	if (!e->passed) // nothing of it is read: the file of a plugin may be shorter by now
		return 0;
	struct symbols s = symbols_of(object);
	return find_in(&s, e->name) != NULL;
}

static int follow_on(struct dl_phdr_info *object, size_t size, void *entry)
{
	struct entry *e = entry;
	(void)size;
	if (e->passed)
		e->behind = defined_by(object, e->name);
	else
		e->passed = contains(object, e->found);
	return e->behind != NULL;
}

void *real_after(const void *own, const char *name)
{
	struct entry e = {(void *)own, NULL, name, false};
	dl_iterate_phdr(follow_on, &e);
	return e.behind;
}

static int follow_to(struct dl_phdr_info *object, size_t size, void *entry)
{
	struct entry *e = entry;
	(void)size;
	if (!contains(object, e->found))
		e->behind = defined_by(object, e->name);
	return e->behind != NULL;
}

void *real_other(const void *own, const char *name)
{
	struct entry e = {(void *)own, real_after(own, name), name, false};
	if (e.behind == NULL)
		dl_iterate_phdr(follow_to, &e);
	return e.behind;
}

struct beside {
	const void *p;
	const char *const *names;
	void **found;
	size_t n;
};

static int look_beside(struct dl_phdr_info *object, size_t size, void *beside)
{
	const struct beside *b = beside;
	(void)size;
	if (!contains(object, b->p))
		return 0;
	for (size_t i = 0; i < b->n; i++)
		b->found[i] = defined_by(object, b->names[i]);
	return 1;
}

bool real_beside(const void *p, const char *const *names, void **found, size_t n)
{
	struct beside b = {p, names, found, n};
	return dl_iterate_phdr(look_beside, &b) == 1;
}

void *real_behind_entry(void *found, const char *name)
{
	struct entry e = {found, NULL, name, false};
	if (found == NULL)
		return NULL;
	dl_iterate_phdr(follow, &e);
	return e.behind != NULL ? e.behind : found;
}

#else

void *real_after(const void *own, const char *name)
{
	(void)own, (void)name;
	return NULL;
}

void *real_other(const void *own, const char *name)
{
	(void)own, (void)name;
	return NULL;
}

bool real_beside(const void *p, const char *const *names, void **found, size_t n)
{
	(void)p, (void)names, (void)found, (void)n;
	return false;
}

#endif
