// Reading the program headers of files that the loader lists.
#ifndef CGOHEAP_HEADERS_H
#define CGOHEAP_HEADERS_H

#include <link.h>
#include <stdbool.h>

#include "memory.h"

// *h = the program header of a number; false if there is none. The headers lie in the file's own memory, and are gone if
// somebody has truncated the file: a load would then fault.
static inline bool header_read(struct memory *m, const struct dl_phdr_info *object, int i, ElfW(Phdr) *h)
{
	return i < object->dlpi_phnum && memory_copy(m, (uintptr_t)&object->dlpi_phdr[i], h, sizeof *h);
}

#endif
