#ifndef ARENA_H
#define ARENA_H

#include <stddef.h>

// An arena carves blocks from chunks of malloc, and frees them all at once. It is not safe for several threads.
struct arena;

struct arena *arena_open(void);

// The block's kind is what the profiler calls it; the text must stay. NULL if there is no memory, or if it is larger than half a chunk.
void *arena_carve(struct arena *a, size_t size, const char *kind);

void arena_close(struct arena *a);

#endif
