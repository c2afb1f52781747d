// What the stand-in for CUDA's driver (cuda.c) has for tests.
#ifndef STANDIN_CUDA_H
#define STANDIN_CUDA_H

#include <stdint.h>

// Has the next calls of this thread that give or take something fail.
void standin_fail(int calls) __attribute__((visibility("default")));

// Has the next such call of this thread take time: what it did is done, and meanwhile runs before it returns.
void standin_slow(void (*meanwhile)(void)) __attribute__((visibility("default")));

// Has all such calls fail from now on, or not any more.
void standin_lose(int is_lost) __attribute__((visibility("default")));

// How many blocks there are by its own books, and their bytes: of kind 0, memory of a device; 1, managed memory; 2, pinned memory of the
// host, of all devices.
int standin_blocks(int kind, int device, uint64_t *bytes) __attribute__((visibility("default")));

#endif
