// Reads numbers and addresses of unwind data, in an encoding that the CIE names.
#ifndef CGOHEAP_CFI_POINTER_H
#define CGOHEAP_CFI_POINTER_H

#include "image.h"

// Reads a number in the format of an encoding, whatever it is relative to.
uint64_t cfi_pointer(struct reader *r, uint8_t encoding);

// Reads an address in an encoding; 0 if the number is 0, whatever it is relative to.
uintptr_t cfi_address(struct reader *r, uint8_t encoding);

#endif
