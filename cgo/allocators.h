// Finds the functions that the allocators in the process document. Called by Go: none of this runs in malloc, and it takes
// locks of the loader.
#ifndef CGOHEAP_ALLOCATORS_H
#define CGOHEAP_ALLOCATORS_H

#include <stdbool.h>

// The real malloc, and the file that it is in; *file is "" if the loader does not know.
const void *allocators_malloc(const char **file);

// A function that the object with the real malloc defines, by its name; NULL if there is none. In static executables, only those
// that this file names.
void *allocators_symbol(const char *name);

// The real malloc and the free that belongs to it.
struct real_pair {
	void *malloc, *free;
};

// False if there is no real allocator, or it is not known yet.
bool allocators_pair(struct real_pair *real);

// An allocator that a library brings along (FAMILY_BROUGHT and FAMILY_OWN in family.h).
struct brought_allocator {
	const char *prefix;
	void *mallctl; // with that prefix; NULL if the program has none
	void *malloc;  // the one behind the hook; NULL if it is not there, or not hooked
};

// The allocator in a row of these, by its number, from 0. False after the last.
bool allocators_brought(unsigned row, struct brought_allocator *found);

#endif
