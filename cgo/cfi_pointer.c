//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

#include "cfi_pointer.h"

uint64_t cfi_pointer(struct reader *r, uint8_t encoding)
{
	switch (encoding & 0x0f) {
	case 0x00: case 0x04: case 0x08: case 0x0c: return read_bytes(r, 8);
	case 0x01: return read_uleb(r);
	case 0x09: return (uint64_t)read_sleb(r);
	case 0x02: return read_bytes(r, 2);
	case 0x0a: return (uint64_t)(int16_t)read_bytes(r, 2);
	case 0x03: return read_bytes(r, 4);
	case 0x0b: return (uint64_t)(int32_t)read_bytes(r, 4);
	default: reader_fail(r); return 0;
	}
}

uintptr_t cfi_address(struct reader *r, uint8_t encoding)
{
	uintptr_t field = r->at;
	uint64_t number = cfi_pointer(r, encoding);
	return number != 0 && (encoding & 0x70) == 0x10 ? field + number : number;
}
