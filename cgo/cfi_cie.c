//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

// Reads CIEs, which hold what FDEs have in common. See internal/unwind/cie.go and internal/unwind/pointer.go.

#include "cfi_cie.h"

#include "cfi_pointer.h"

void cfi_enter_record(struct reader *r)
{
	uint64_t length = read_bytes(r, 4);
	if (length == UINT32_MAX)
		length = read_bytes(r, 8);
	if (r->failed || length > r->end - r->at)
		reader_fail(r);
	else
		r->end = r->at + length;
}

// Reads the data that one letter of a CIE's augmentation announces. False for an unknown letter.
static bool read_letter(struct reader *r, struct cie *cie, uint8_t letter)
{
	switch (letter) {
	case 'R': {
		cie->encoding = read_bytes(r, 1);
		uint8_t origin = cie->encoding & 0x70;
		// Addresses relative to text or data cannot be resolved here.
		return !(cie->encoding & 0x80) && (origin == 0 || origin == 0x10);
	}
	case 'P':
		cfi_pointer(r, read_bytes(r, 1));
		return true;
	case 'L':
		read_bytes(r, 1);
		return true;
	case 'S':
		cie->signal = true;
		return true;
	case 'B': case 'G':
		return true;
	default:
		return false;
	}
}

#define LETTERS 8

// Reads a zero-terminated string, which must fit; false if it does not. The caller checks the reader for failure.
static bool read_text(struct reader *r, uint8_t *to)
{
	for (int i = 0; i < LETTERS; i++)
		if ((to[i] = read_bytes(r, 1)) == 0)
			return true;
	return false;
}

static bool read_augmentation(struct reader *r, struct cie *cie, const uint8_t *letters)
{
	if (letters[0] == 0)
		return true;
	if (letters[0] != 'z')
		return false;
	cie->sized = true;
	uint64_t size = read_uleb(r);
	if (r->failed || size > r->end - r->at)
		return false;
	uintptr_t end = r->at + size;
	for (int i = 1; letters[i] != 0; i++)
		if (!read_letter(r, cie, letters[i]))
			return false;
	if (r->failed || r->at > end)
		return false;
	r->at = end;
	return true;
}

bool cfi_read_cie(struct reader *r, struct cie *cie)
{
	uint8_t letters[LETTERS];
	*cie = (struct cie){0};
	cfi_enter_record(r);
	if (read_bytes(r, 4) != 0)
		return false;
	uint8_t version = read_bytes(r, 1);
	if ((version != 1 && version != 3 && version != 4) || !read_text(r, letters))
		return false;
	if (version == 4 && (read_bytes(r, 1) != 8 || read_bytes(r, 1) != 0))
		return false;
	cie->code_factor = read_uleb(r);
	cie->data_factor = read_sleb(r);
	cie->ra = version == 1 ? read_bytes(r, 1) : read_uleb(r);
	if (!read_augmentation(r, cie, letters) || r->failed)
		return false;
	cfi_run_cie(r, cie);
	return !r->failed;
}
