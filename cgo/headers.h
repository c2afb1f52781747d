// Reads the program headers of files that the loader lists.
#ifndef CGOHEAP_HEADERS_H
#define CGOHEAP_HEADERS_H

#include <link.h>
#include <stdbool.h>

#include "memory.h"

#define HEADERS_AT_ONCE 32 // more than linkers make

// Reads the headers of one file after another. Copying all headers of a file costs as much as copying one.
struct headers {
	struct memory memory;
	const ElfW(Phdr) *from; // where list was copied from
	int count;
	ElfW(Phdr) list[HEADERS_AT_ONCE];
};

static inline bool headers_copy(struct headers *r, const ElfW(Phdr) *from, int count)
{
	r->from = from;
	r->count = memory_copy(&r->memory, (uintptr_t)from, r->list, count * sizeof *from) ? count : 0;
	return r->count > 0;
}

// The program header with a number, valid until the next is read; NULL if there is none. The headers lie in the file's
// own memory, and are gone if the file was truncated: a load would then fault.
static inline const ElfW(Phdr) *header_read(struct headers *r, const struct dl_phdr_info *object, int i)
{
	const ElfW(Phdr) *from = &object->dlpi_phdr[i];
	int left = object->dlpi_phnum - i;
	if (left <= 0)
		return NULL;
	if (r->count > 0 && from >= r->from && from < r->from + r->count)
		return &r->list[from - r->from];
	if (!headers_copy(r, from, left < HEADERS_AT_ONCE ? left : HEADERS_AT_ONCE) && !headers_copy(r, from, 1))
		return NULL;
	return r->list;
}

#endif
