// The malloc families of the loaded objects, one by one. See real_objects.c.
#ifndef CGOHEAP_REAL_OBJECTS_H
#define CGOHEAP_REAL_OBJECTS_H

#include <stdbool.h>

#include "family.h"

// Fills in the family of one of the objects that define all of it: number which, from 0, in the loader's search order.
// The object whose malloc is own does not count. False if there is no such object. Takes the loader's locks.
bool real_of_object(struct real *found, const void *own, int which);

#endif
