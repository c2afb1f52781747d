//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

#define _GNU_SOURCE
#include "images.h"

#include <link.h>

struct listing {
	struct loaded_image *list;
	size_t max, count;
};

// The readable segment that .eh_frame_hdr lies in, where linkers put .eh_frame too.
static struct image image_of(const struct dl_phdr_info *object)
{
	struct image image = {0};
	for (int i = 0; i < object->dlpi_phnum; i++)
		if (object->dlpi_phdr[i].p_type == PT_GNU_EH_FRAME)
			image.eh_frame_hdr = object->dlpi_addr + object->dlpi_phdr[i].p_vaddr;
	for (int i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &object->dlpi_phdr[i];
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
		l->list[l->count] = (struct loaded_image){object->dlpi_addr, image_of(object)};
	l->count++;
	return 0;
}

size_t images_list(struct loaded_image *list, size_t max)
{
	struct listing l = {.list = list, .max = max};
	dl_iterate_phdr(list_object, &l);
	return l.count;
}
