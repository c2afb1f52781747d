//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

#define _GNU_SOURCE
#include "images.h"

#include <link.h>

#include "headers.h"

struct listing {
	struct loaded_image *list;
	size_t max, count;
	struct headers headers;
};

// The image of an object: the readable segment that .eh_frame_hdr lies in, where linkers put .eh_frame too.
static struct image image_of(struct headers *r, const struct dl_phdr_info *object)
{
	struct image image = {0};
	const ElfW(Phdr) *h;
	for (int i = 0; (h = header_read(r, object, i)) != NULL; i++)
		if (h->p_type == PT_GNU_EH_FRAME)
			image.eh_frame_hdr = object->dlpi_addr + h->p_vaddr;
	for (int i = 0; (h = header_read(r, object, i)) != NULL; i++) {
		uintptr_t at = object->dlpi_addr + h->p_vaddr;
		if (h->p_type != PT_LOAD || !(h->p_flags & PF_R) || image.eh_frame_hdr - at >= h->p_filesz)
			continue;
		image.start = at;
		image.limit = at + h->p_filesz;
	}
	return image;
}

static int list_object(struct dl_phdr_info *object, size_t size, void *listing)
{
	(void)size;
	struct listing *l = listing;
	if (l->count < l->max)
		l->list[l->count] = (struct loaded_image){object->dlpi_addr, image_of(&l->headers, object)};
	l->count++;
	return 0;
}

size_t images_list(struct loaded_image *list, size_t max)
{
	struct copy copy = {0};
	struct listing l = {.list = list, .max = max, .headers = {.memory = {.copy = &copy}}};
	dl_iterate_phdr(list_object, &l);
	memory_end(&l.headers.memory);
	return l.count;
}
