//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

#define _GNU_SOURCE
#include "segments.h"

#include <link.h>
#include <string.h>
#include <sys/auxv.h>

#include "headers.h"

struct listing {
	struct segment *list;
	size_t max, count;
	bool others; // the program, which the loader lists first, is done
	struct headers headers;
};

// The path of an object's file. The loader's list has no name for the program, and a name without a file for the vdso.
static const char *path_of(const struct dl_phdr_info *object, struct listing *l)
{
	const char *path = l->others ? object->dlpi_name : (const char *)getauxval(AT_EXECFN);
	uintptr_t vdso = getauxval(AT_SYSINFO_EHDR);
	const ElfW(Phdr) *h;
	for (int i = 0; (h = header_read(&l->headers, object, i)) != NULL; i++)
		if (h->p_type == PT_LOAD && vdso - (object->dlpi_addr + h->p_vaddr) < h->p_memsz)
			return "[vdso]";
	return path == NULL ? "" : path;
}

static void fill(struct segment *s, const struct dl_phdr_info *object, const ElfW(Phdr) *h, const char *path)
{
	s->start = object->dlpi_addr + h->p_vaddr;
	s->limit = s->start + h->p_filesz;
	s->end = s->start + h->p_memsz;
	s->offset = h->p_offset;
	s->executable = (h->p_flags & PF_X) != 0;
	s->writable = (h->p_flags & PF_W) != 0;
	s->path[0] = 0;
	if (strlen(path) < sizeof s->path)
		strcpy(s->path, path);
}

static int list_object(struct dl_phdr_info *object, size_t size, void *listing)
{
	(void)size;
	struct listing *l = listing;
	const char *path = path_of(object, l);
	const ElfW(Phdr) *h;
	for (int i = 0; (h = header_read(&l->headers, object, i)) != NULL; i++) {
		if (h->p_type != PT_LOAD || h->p_memsz == 0)
			continue;
		if (l->count < l->max)
			fill(&l->list[l->count], object, h, path);
		l->count++;
	}
	l->others = true;
	return 0;
}

size_t segments_list(struct segment *list, size_t max)
{
	struct copy copy = {0};
	struct listing l = {.list = list, .max = max, .headers = {.memory = {.copy = &copy}}};
	dl_iterate_phdr(list_object, &l);
	memory_end(&l.headers.memory);
	return l.count;
}
