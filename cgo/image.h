// Reads a loaded file in memory: its unwind data, its headers.
#ifndef CGOHEAP_IMAGE_H
#define CGOHEAP_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memory.h"

// A loaded file. Nothing outside [start, limit) is read. If it is not kept, another thread may unmap it at any time, so
// memory_copy reads it through the kernel.
struct image {
	uintptr_t start, limit;
	uintptr_t eh_frame_hdr; // 0 if it has none
	bool kept;              // it is never unmapped
	struct memory *memory;  // of the walk; NULL only if the file is kept
	bool remembered;        // it is never closed: what each search reads first is kept
};

// Copies up to size bytes at address and returns how many could be read. Does not touch errno.
size_t image_copy(const struct image *image, uintptr_t address, void *to, size_t size);

// A reader of little-endian numbers from at up to end. Past the end, or at a malformed number, it returns zeros and
// stays failed: callers read a whole structure and check once.
struct reader {
	const struct image *image;
	uintptr_t at, end;
	uintptr_t buffered; // the address of buffer[0]
	uint32_t size, refills;
	bool failed;
	bool unreadable; // it failed because memory could not be read, or too much would have been
	uint8_t buffer[256];
};

struct reader reader_of(const struct image *image, uintptr_t at, uintptr_t end);
void reader_fail(struct reader *r);
uint64_t read_bytes(struct reader *r, unsigned size); // 1, 2, 4 or 8
uint64_t read_uleb(struct reader *r);
int64_t read_sleb(struct reader *r);


#endif
