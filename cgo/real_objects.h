// The malloc families of the loaded objects, one by one. See real_objects.c.
#ifndef CGOHEAP_REAL_OBJECTS_H
#define CGOHEAP_REAL_OBJECTS_H

#include "real.h"

// Fills in the family of the object with this number, from 0, of those that define all of it, without ours, in the order in
// which the loader searches them. False if there is none. Takes the loader's locks.
bool real_of_object(struct real *found, int which);

// Whether every function was found.
static inline bool real_complete(const struct real *r)
{
	return r->malloc && r->free && r->calloc && r->realloc && r->memalign && r->aligned_alloc && r->posix_memalign &&
	       r->malloc_usable_size;
}

#endif
