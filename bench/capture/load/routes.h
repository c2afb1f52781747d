// Different stacks that allocate.
#ifndef ROUTES_H
#define ROUTES_H

#include <stddef.h>
#include <stdint.h>

// malloc(size), below so many calls, each of which goes one of two ways, as the bits of turns say.
void *routes_malloc(uint64_t turns, long routes, size_t size);

#endif
