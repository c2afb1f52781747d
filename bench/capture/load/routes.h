// Different stacks that allocate.
#ifndef ROUTES_H
#define ROUTES_H

#include <stddef.h>
#include <stdint.h>

// malloc(size), below routes calls, each of which goes one of two ways, chosen by the bits of turns.
void *routes_malloc(uint64_t turns, long routes, size_t size);

#endif
