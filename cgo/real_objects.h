// The malloc families of the loaded objects, one by one. See real_objects.c.
#ifndef CGOHEAP_REAL_OBJECTS_H
#define CGOHEAP_REAL_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>

#include "family.h"

// Fills in the family of one of the objects that define all of it: number which, from 0, in the loader's search order.
// The object whose malloc is own does not count. False if there is no such object. Takes the loader's locks.
bool real_of_object(struct real *found, const void *own, int which);

// The function of this name in the first object behind the one that own is in; NULL if there is none. Allocates nothing. Takes the
// loader's locks.
void *real_after(const void *own, const char *name);

// The same and, if no object behind has it, the function of the first object that has it and is not own's.
void *real_other(const void *own, const char *name);

// Looks for n functions in the object that p is in, and in no other: found[i] is NULL where it has no names[i]. False if p is in no
// object. Allocates nothing. Takes the loader's locks.
bool real_beside(const void *p, const char *const *names, void **found, size_t n);

// What dlsym found by this name, or the function that it leads to: where a program that is not position-independent takes a function's
// address, that is for all objects an entry in the program's own table of calls (PLT). Takes the loader's locks.
void *real_behind_entry(void *found, const char *name);

#endif
