//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

#define _GNU_SOURCE
#include "images.h"

#include <link.h>

struct listing {
	struct loaded_image *list;
	size_t max, count;
};

static struct image image_of(const struct dl_phdr_info *object)
{
	struct image image = {.start = UINTPTR_MAX};
	for (int i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &object->dlpi_phdr[i];
		uintptr_t at = object->dlpi_addr + h->p_vaddr;
		if (h->p_type == PT_GNU_EH_FRAME)
			image.eh_frame_hdr = at;
		if (h->p_type != PT_LOAD)
			continue;
		if (at < image.start)
			image.start = at;
		if (at + h->p_filesz > image.limit)
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
