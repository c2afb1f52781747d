// The blocks of blocks.c that are not mappings of their own. They have one of 51 sizes.
#ifndef CGOHEAP_BLOCKS_SMALL_H
#define CGOHEAP_BLOCKS_SMALL_H

#include <stddef.h>
#include <stdint.h>

#define SMALL_MOST (256ULL << 10) // the last of the sizes
#define SMALL_ALIGN 16
#define SMALL_CLASS_AT 8 // where a block has its class, which nobody may change

// The number of the smallest size that has as many bytes, which are more than 0 and SMALL_MOST at most.
uint32_t small_class(size_t bytes);

// 32 and 48 bytes, then four sizes for each doubling: 64, 80, 96, 112, 128, 160, ...
size_t small_size(uint32_t class);

// Takes a block of that size, with its class in place; NULL if there is no memory.
void *small_take(uint32_t class);

void small_give(void *block);

#endif
