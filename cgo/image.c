//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

// A loaded file's memory is read in pieces, through a small buffer on the stack. A file that another thread may close
// is read through the kernel, which returns an error where a load would fault (memory.c). If a sandbox forbids that,
// only files that are never closed can be read.

#include "image.h"

#include <string.h>

#define PAGE 4096
#define MOST_REFILLS 256 // 64 KiB: more than any FDE is long

size_t image_copy(const struct image *image, uintptr_t address, void *to, size_t size)
{
	if (address < image->start || address >= image->limit)
		return 0;
	if (size > image->limit - address)
		size = image->limit - address;
	if (image->kept) {
		memcpy(to, (const void *)address, size);
		return size;
	}
	if (image->memory == NULL)
		return 0;
	if (memory_copy(image->memory, address, to, size))
		return size;
	size_t on_page = PAGE - address % PAGE; // the next page may be unmapped
	return on_page < size && memory_copy(image->memory, address, to, on_page) ? on_page : 0;
}

struct reader reader_of(const struct image *image, uintptr_t at, uintptr_t end)
{
	struct reader r;
	r.image = image;
	r.at = at;
	r.end = end;
	r.buffered = at;
	r.size = r.refills = 0;
	r.failed = r.unreadable = false;
	return r;
}

void reader_fail(struct reader *r)
{
	r->at = r->end;
	r->failed = true;
}

// Makes sure that the byte at r->at is in the buffer, reading it if needed; false if it cannot be read.
static bool have(struct reader *r)
{
	if (r->at - r->buffered < r->size)
		return true;
	size_t want = r->end - r->at < sizeof r->buffer ? r->end - r->at : sizeof r->buffer;
	r->buffered = r->at;
	r->size = ++r->refills > MOST_REFILLS ? 0 : image_copy(r->image, r->at, r->buffer, want);
	if (r->size > 0)
		return true;
	r->unreadable = true;
	reader_fail(r);
	return false;
}

uint64_t read_bytes(struct reader *r, unsigned size)
{
	uint64_t number = 0;
	if (r->at > r->end || size > r->end - r->at) {
		reader_fail(r);
		return 0;
	}
	if (size == 1 && r->at - r->buffered < r->size) // as nearly all are
		return r->buffer[r->at++ - r->buffered];
	for (unsigned i = 0; i < size; i++) {
		if (!have(r))
			return 0;
		number |= (uint64_t)r->buffer[r->at++ - r->buffered] << (8 * i);
	}
	return number;
}

// Reads the bits of a LEB128 number of at most ten bytes (DWARF 5, section 7.6); *rest becomes the bits that sign
// extension adds.
static uint64_t read_leb(struct reader *r, uint64_t *rest)
{
	uint64_t bits = 0;
	*rest = 0;
	for (unsigned shift = 0; shift < 70; shift += 7) {
		uint8_t byte = read_bytes(r, 1);
		bits |= (uint64_t)(byte & 0x7f) << shift;
		if (byte & 0x80)
			continue;
		if (byte & 0x40 && shift + 7 < 64)
			*rest = ~0ULL << (shift + 7);
		return bits;
	}
	reader_fail(r);
	return 0;
}

uint64_t read_uleb(struct reader *r)
{
	uint64_t rest;
	return read_leb(r, &rest);
}

int64_t read_sleb(struct reader *r)
{
	uint64_t rest, bits = read_leb(r, &rest);
	return (int64_t)(bits | rest);
}
