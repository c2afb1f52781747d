// Records of unwind data: their lengths, the pointers in them, and CIEs.
#ifndef CGOHEAP_CFI_CIE_H
#define CGOHEAP_CFI_CIE_H

#include "cfi_program.h"

// Reads a record's length; what is left of r ends with the record.
void cfi_enter_record(struct reader *r);

// Reads the CIE that begins at r->at. False if there is none, or none of a known kind.
bool cfi_read_cie(struct reader *r, struct cie *cie);

// A number in the format of an encoding, whatever it counts from.
uint64_t cfi_pointer(struct reader *r, uint8_t encoding);

// An address in an encoding; 0 if the number is 0, whatever that counts from.
uintptr_t cfi_address(struct reader *r, uint8_t encoding);

#endif
