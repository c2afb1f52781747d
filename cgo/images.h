// Where the files that the loader has loaded have their unwind data in memory. Takes the loader's locks: not for the hooks.
#ifndef CGOHEAP_IMAGES_H
#define CGOHEAP_IMAGES_H

#include "image.h"

struct loaded_image {
	uint64_t bias;      // run time address - ELF address
	struct image image; // kept is not told
};

// How many images there are, which may be more than max.
size_t images_list(struct loaded_image *list, size_t max);

#endif
