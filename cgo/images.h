// Lists the unwind data of all loaded files. Takes the loader's locks: not for the hooks.
#ifndef CGOHEAP_IMAGES_H
#define CGOHEAP_IMAGES_H

#include "image.h"

struct loaded_image {
	uint64_t bias;      // run time address - ELF address
	struct image image; // kept is not set
};

// Fills in at most max images, and returns how many there are, which may be more.
size_t images_list(struct loaded_image *list, size_t max);

#endif
