//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

// The list of loaded files is read outside of malloc, some time after a library was opened. Its first blocks are allocated
// before that, by its constructors even while dlopen runs. glibc's _dl_find_object (2.35) finds the library of an
// address at any time: it takes no locks, and signal handlers may call it. The unwind data is then read from memory
// (cfi.c).
//
// Which library it was is settled later, when Go has the list (alloc/met.go). By then it may be closed, and another may
// be at its address, even with its link_map at the same address. So the object is kept with its identity: addresses,
// build ID, path. All of that is read through the kernel, because a wrong return address may lead a walk to a library
// that another thread is closing. The identity is accepted if no library was loaded while it was read.
//
// An address belongs to the object met there as long as the loader's words of loads.c have not changed. If they have,
// the identity is read again: the same identity means the same object, under the same number.

#define _GNU_SOURCE
#include "objects.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <string.h>

#include "cfi.h"
#include "lookup.h"
#include "region.h"
#include "room.h"

// glibc's struct dl_find_object, which older headers do not have.
struct dl_object {
	unsigned long long flags;
	void *start, *end;
	struct link_map *link_map;
	void *eh_frame_hdr;
	unsigned long long reserved[7];
};

static int (*ask_loader)(void *address, struct dl_object *result);
static bool allowed = true;

void objects_prepare(void)
{
#if defined(__GLIBC__) && !defined(CGOHEAP_WRAP)
	if (ask_loader == NULL)
		ask_loader = (int (*)(void *, struct dl_object *))dlsym(RTLD_DEFAULT, "_dl_find_object");
#endif
}

bool objects_allow(bool allow)
{
	objects_prepare();
	allowed = allow;
	return ask_loader != NULL;
}

bool objects_allowed(void)
{
	return allowed;
}

static bool copy(const struct image *image, uintptr_t from, void *to, size_t size)
{
	return image_copy(image, from, to, size) == size;
}

// Reads the path; one that does not fit is left empty.
static bool read_path(const struct image *anywhere, uintptr_t from, struct identity *is)
{
	size_t size = image_copy(anywhere, from, is->path, sizeof is->path);
	is->path_size = strnlen(is->path, size);
	if (is->path_size == size)
		is->path_size = 0;
	memset(is->path + is->path_size, 0, sizeof is->path - is->path_size);
	return size > 0;
}

#define NOTE_BYTES 1024

// Reads the build ID from a segment of notes, if it has one: name size, size, type; name; the bytes; each aligned to 4.
static void read_notes(const struct image *image, uintptr_t at, size_t size, struct identity *is)
{
	struct reader r = reader_of(image, at, at + (size < NOTE_BYTES ? size : NOTE_BYTES));
	while (r.end - r.at >= 16) {
		uint64_t name = read_bytes(&r, 4), bytes = read_bytes(&r, 4), type = read_bytes(&r, 4);
		if (name == 4 && type == NT_GNU_BUILD_ID && read_bytes(&r, 4) == 0x554e47 && bytes <= sizeof is->id) {
			for (uint32_t i = 0; i < bytes; i++)
				is->id[i] = read_bytes(&r, 1);
			is->id_size = r.failed ? 0 : bytes;
			return;
		}
		name = name == 4 && type == NT_GNU_BUILD_ID ? 0 : (name + 3) & ~3ULL; // read already
		bytes = (bytes + 3) & ~3ULL;
		if (r.failed || name + bytes > r.end - r.at)
			return;
		r.at += name + bytes;
	}
}

static void read_segment(const struct image *image, const Elf64_Phdr *h, struct identity *is)
{
	uint64_t start = is->bias + h->p_vaddr, limit = start + h->p_filesz;
	if (h->p_type == PT_NOTE && is->id_size == 0)
		read_notes(image, start, h->p_filesz, is);
	if (h->p_type != PT_LOAD || !(h->p_flags & PF_X))
		return;
	if (is->code_limit == 0 || start < is->code_start)
		is->code_start = start;
	if (limit > is->code_limit)
		is->code_limit = limit;
}

#define MOST_SEGMENTS 32

// Reads the headers, which begin the mapping of all files that linkers make.
static void read_headers(const struct image *image, struct identity *is)
{
	Elf64_Ehdr header;
	Elf64_Phdr segment;
	if (!copy(image, image->start, &header, sizeof header) || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
		return;
	if (header.e_phentsize != sizeof segment)
		return;
	for (int i = 0; i < header.e_phnum && i < MOST_SEGMENTS; i++)
		if (copy(image, image->start + header.e_phoff + i * sizeof segment, &segment, sizeof segment))
			read_segment(image, &segment, is);
}

static struct image image_of(const struct identity *is, struct memory *m)
{
	return (struct image){.start = is->start, .limit = is->limit, .eh_frame_hdr = is->eh_frame_hdr, .memory = m};
}

static bool identify(const struct dl_object *found, struct memory *m, struct identity *is)
{
	struct link_map map;
	struct image anywhere = {.limit = UINTPTR_MAX, .memory = m};
	memset(is, 0, sizeof *is);
	if (!copy(&anywhere, (uintptr_t)found->link_map, &map, offsetof(struct link_map, l_ld)))
		return false;
	is->start = (uintptr_t)found->start;
	is->limit = (uintptr_t)found->end;
	is->eh_frame_hdr = (uintptr_t)found->eh_frame_hdr;
	is->bias = map.l_addr;
	struct image image = image_of(is, m);
	read_headers(&image, is);
	return read_path(&anywhere, (uintptr_t)map.l_name, is);
}

#define PROBES 32

static uint32_t *slot_of(uintptr_t start, uint32_t probe)
{
	uint32_t *slots = region_at(cgoheap_region->objects);
	return &slots[((start >> 12) * 0x9e3779b97f4a7c15ULL / (1ULL << 54) + probe) % OBJECT_SLOTS];
}

static uint32_t number_of(const uint32_t *slot)
{
	return OBJECT_FIRST + (slot - (uint32_t *)region_at(cgoheap_region->objects));
}

// Finds the object that, by the loader's words, is still there.
static uint32_t find(uintptr_t start, uint64_t loads, const struct object **object)
{
	for (uint32_t i = 0; i < PROBES && loads != 0; i++) {
		uint32_t *slot = slot_of(start, i), ref = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
		if (ref == 0)
			break;
		const struct object *o = region_ref(ref);
		*object = o;
		if (o->is.start == start && __atomic_load_n(&o->loads, __ATOMIC_RELAXED) == loads)
			return number_of(slot);
	}
	return 0;
}

static uint32_t make(const struct identity *is)
{
	uint64_t at = region_reserve(sizeof(struct object));
	if (at != 0)
		((struct object *)region_at(at))->is = *is;
	return at / 16;
}

static uint32_t intern(const struct identity *is, uint64_t loads, const struct object **object)
{
	uint32_t made = 0;
	for (uint32_t i = 0; i < PROBES; i++) {
		uint32_t *slot = slot_of(is->start, i), ref = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
		if (ref == 0 && made == 0 && (made = make(is)) == 0)
			return 0;
		if (ref == 0 && __atomic_compare_exchange_n(slot, &ref, made, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			ref = made;
		struct object *o = region_ref(ref);
		if (memcmp(&o->is, is, sizeof *is) != 0)
			continue;
		__atomic_store_n(&o->loads, loads, __ATOMIC_RELAXED);
		*object = o;
		return number_of(slot);
	}
	return 0;
}

#define TRIES 3

// A search for the object at an address.
struct searched {
	uintptr_t pc;
	const struct loads *loads;
	struct memory *memory;
	const struct object **object;
	uint64_t before; // the loader's words when it was asked
	struct dl_object found;
	uint32_t number; // 0 until it is known
};

// Asks the loader, and looks among the objects that were met before. False if there is nothing to be met.
static bool ask(struct searched *s)
{
	s->before = loads_now(s->loads);
	if (ask_loader((void *)s->pc, &s->found) != 0)
		return false;
	s->number = find((uintptr_t)s->found.start, s->before, s->object);
	return s->number == 0;
}

// Meets what the loader has found. False if that has changed meanwhile.
static bool meet(struct searched *s)
{
	struct dl_object again;
	struct identity is;
	if (!identify(&s->found, s->memory, &is))
		return true;
	if (loads_now(s->loads) != s->before || ask_loader((void *)s->pc, &again) != 0 || again.link_map != s->found.link_map)
		return false;
	s->number = intern(&is, s->before, s->object);
	return true;
}

static void search(void *searched)
{
	struct searched *s = searched;
	for (int i = 0; i < TRIES; i++)
		if ((i > 0 && !ask(s)) || meet(s))
			return;
}

uint32_t object_at(uintptr_t pc, const struct loads *loads, struct memory *m, const struct object **object)
{
	struct searched s = {.pc = pc, .loads = loads, .memory = m, .object = object};
	if (ask_loader != NULL && allowed && ask(&s))
		(void)room_run(m->room, search, &s);
	return s.number;
}

bool object_rule(const struct object_code *code, struct memory *m, struct rule *rule)
{
	struct cache_entry *cache = region_at(cgoheap_region->met);
	uint64_t found = cached(cache, code->pc);
	if (found != 0 && found_module(found) == code->number) {
		*rule = rule_of_found(found);
		return true;
	}
	struct image image = image_of(&code->object->is, m);
	if (!cfi_rule(&image, code->pc, rule))
		return false;
	uint64_t plain = found_of_rule(rule);
	if (plain != 0)
		cache_put(cache, code->pc, plain | (uint64_t)code->number << 2 | FOUND_CLOSABLE);
	return true;
}
