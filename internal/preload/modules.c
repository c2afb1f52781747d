//go:build ignore

#define _GNU_SOURCE
#include "modules.h"

#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>

#include "about.h"
#include "control.h"
#include "headers.h"
#include "loads.h"
#include "lookup.h"
#include "record_mapped.h"
#include "real.h"
#include "region.h"
#include "rows.h"
#include "settings.h"
#include "walk.h"

#define PROGRAM 1 // its number; the loader lists it first
#define MOST 1024 // more are met by walks, as libraries that are opened later

struct loaded {
	struct range range;
	uint64_t bias;
	const char *path; // the loader's, which keeps what it loads before the program begins
	size_t id_size;
	uint8_t id[40];
	struct stat file; // of a file without a build ID; st_ino is 0 if it is not known
};

static struct {
	struct loaded files[MOST];
	uint32_t count;
	struct loads loads;
	const char *program;
	struct headers headers;
} all;

// The build ID in notes that lie in memory. They may be of a file that is not well formed.
static void read_id(struct loaded *l, const char *at, const char *end)
{
	while (end - at >= 12) {
		uint32_t name, size, type;
		memcpy(&name, at, 4), memcpy(&size, at + 4, 4), memcpy(&type, at + 8, 4);
		uint64_t bytes = 12 + REGION_ALIGN((uint64_t)name, 4), next = bytes + REGION_ALIGN((uint64_t)size, 4);
		if (bytes + size > (uint64_t)(end - at))
			return;
		if (type == 3 && name == 4 && memcmp(at + 12, "GNU", 4) == 0 && size <= sizeof l->id) {
			memcpy(l->id, at + bytes, size);
			l->id_size = size;
			return;
		}
		if (next > (uint64_t)(end - at))
			return;
		at += next;
	}
}

static void read_header(struct loaded *l, const ElfW(Phdr) *h)
{
	uint64_t start = l->bias + h->p_vaddr, limit = start + h->p_filesz;
	if (h->p_type == PT_LOAD && (h->p_flags & PF_X) != 0) {
		l->range.start = l->range.limit == 0 || start < l->range.start ? start : l->range.start;
		l->range.limit = limit > l->range.limit ? limit : l->range.limit;
	} else if (h->p_type == PT_NOTE && l->id_size == 0) {
		read_id(l, (const char *)start, (const char *)limit);
	} else if (h->p_type == PT_GNU_EH_FRAME) {
		l->range.eh_frame_hdr = start;
	}
}

// The readable segment that .eh_frame_hdr lies in, where linkers put .eh_frame too.
static void read_data(struct loaded *l, const ElfW(Phdr) *h)
{
	uint64_t start = l->bias + h->p_vaddr;
	if (h->p_type == PT_LOAD && (h->p_flags & PF_R) != 0 && l->range.eh_frame_hdr - start < h->p_filesz) {
		l->range.data_start = start;
		l->range.data_limit = start + h->p_filesz;
	}
}

static int list_file(struct dl_phdr_info *object, size_t size, void *unused)
{
	(void)size, (void)unused;
	if (all.count == MOST)
		return 1;
	struct loaded *l = &all.files[all.count];
	const ElfW(Phdr) *h;
	*l = (struct loaded){.bias = object->dlpi_addr, .path = all.count == 0 ? all.program : object->dlpi_name};
	for (int i = 0; (h = header_read(&all.headers, object, i)) != NULL; i++)
		read_header(l, h);
	for (int i = 0; (h = header_read(&all.headers, object, i)) != NULL; i++)
		read_data(l, h);
	uint64_t vdso = getauxval(AT_SYSINFO_EHDR);
	if (vdso != 0 && all.count > 0 && l->bias == vdso)
		l->path = "[vdso]";
	if (l->id_size == 0 && stat(l->path, &l->file) != 0)
		l->file.st_ino = 0;
	if (l->range.limit != 0)
		l->range.module = (uint16_t)++all.count; // PROGRAM is 1
	return 0;
}

static int by_start(const void *a, const void *b)
{
	const struct loaded *x = a, *y = b;
	return x->range.start < y->range.start ? -1 : x->range.start > y->range.start;
}

// What another allocator than libc's maps is its own: the blocks in it are recorded.
static void know_allocator(void)
{
	uintptr_t allocator = (uintptr_t)REAL(malloc), libc = (uintptr_t)getenv;
	for (uint32_t i = 0; i < all.count; i++) {
		const struct range *r = &all.files[i].range;
		if (allocator - r->start < r->limit - r->start && libc - r->start >= r->limit - r->start)
			mapping_set_allocator(r->start, r->limit);
	}
}

void modules_list(const char *program)
{
	struct copy copy = {0};
	all.program = program;
	all.headers = (struct headers){.memory = {.copy = &copy}};
	loads_read(&all.loads);
	dl_iterate_phdr(list_file, NULL);
	memory_end(&all.headers.memory);
	qsort(all.files, all.count, sizeof *all.files, by_start);
	know_allocator();
}

static struct code at_run_time(const uint64_t bounds[2], uint64_t bias)
{
	return (struct code){bounds[0] + bias, bounds[1] + bias};
}

void modules_know_go(const struct settings_go *go)
{
	uint64_t bias = 0;
	for (uint32_t i = 0; i < all.count; i++)
		bias = all.files[i].range.module == PROGRAM ? all.files[i].bias : bias;
	cgoheap_go.own = (struct go_code){
		.text = at_run_time(go->text, bias),
		.asmcgocall = at_run_time(go->asmcgocall, bias),
		.crosscall2 = at_run_time(go->crosscall2, bias),
		.mstart = at_run_time(go->mstart, bias),
	};
	cgoheap_go.m_offset = (uint32_t)go->m;
	cgoheap_go.joined = true;
}

static size_t write_hex(char *to, const struct loaded *l)
{
	static const char digits[] = "0123456789abcdef";
	for (size_t i = 0; i < l->id_size; i++) {
		to[2 * i] = digits[l->id[i] >> 4];
		to[2 * i + 1] = digits[l->id[i] & 15];
	}
	return 2 * l->id_size;
}

// The path without links, as the kernel lists it.
static const char *resolve(const struct loaded *l, char resolved[PATH_MAX])
{
	return l->path[0] == '[' || realpath(l->path, resolved) == NULL ? l->path : resolved;
}

size_t modules_describe(char *to, size_t room)
{
	char path[PATH_MAX], escaped[2048];
	size_t used = (size_t)snprintf(to, room, "[");
	for (uint32_t i = 0; i < all.count; i++) {
		const struct stat *f = &all.files[i].file;
		if (f->st_ino == 0)
			continue;
		about_escape(escaped, sizeof escaped, resolve(&all.files[i], path));
		int size = snprintf(to + used, room - used, "%s{\"Path\":\"%s\",\"Device\":%lu,\"Inode\":%lu,\"Size\":%ld,\"Modified\":%ld}",
				    used > 1 ? "," : "", escaped, (unsigned long)f->st_dev, (unsigned long)f->st_ino, (long)f->st_size,
				    (long)f->st_mtim.tv_sec * 1000000000 + f->st_mtim.tv_nsec);
		if (used + (size_t)size + 2 > room)
			break;
		used += (size_t)size;
	}
	return used + (size_t)snprintf(to + used, room - used, "]");
}

// False if there is no room.
static bool enter(const struct loaded *l)
{
	char id[2 * sizeof l->id], resolved[PATH_MAX];
	size_t id_size = write_hex(id, l);
	const char *path = resolve(l, resolved);
	uint64_t at = region_reserve(sizeof(struct module) + id_size + strlen(path));
	if (at == 0)
		return false;
	struct module *m = region_at(at);
	*m = (struct module){l->range.start, l->range.limit, l->bias, (uint32_t)id_size, (uint32_t)strlen(path)};
	memcpy(m->strings, id, id_size);
	memcpy(m->strings + id_size, path, strlen(path));
	((uint32_t *)region_at(cgoheap_region->modules))[l->range.module] = (uint32_t)(at / 16);
	return true;
}

bool modules_publish(void)
{
	uint64_t at = region_reserve(sizeof(struct index) + all.count * sizeof(struct range));
	uint64_t cache = region_reserve(CACHE_ENTRIES * sizeof(struct cache_entry));
	if (at == 0 || cache == 0)
		return false;
	struct index *index = region_at(at);
	*index = (struct index){.count = all.count, .number = 1, .cache = cache, .loads = all.loads, .go_module = cgoheap_go.joined ? PROGRAM : 0};
	for (uint32_t i = 0; i < all.count; i++) {
		if (!enter(&all.files[i]))
			return false;
		index->ranges[i] = all.files[i].range;
		index->ranges[i].base = all.files[i].range.start;
	}
	cgoheap_publish(at);
	return true;
}
