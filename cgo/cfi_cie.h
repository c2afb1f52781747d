// Records of unwind data: their lengths, and CIEs.
#ifndef CGOHEAP_CFI_CIE_H
#define CGOHEAP_CFI_CIE_H

#include "cfi_program.h"

// Reads a record's length, and sets r->end to the record's end.
void cfi_enter_record(struct reader *r);

// Reads the CIE that begins at r->at. False if there is none, or none of a known kind.
bool cfi_read_cie(struct reader *r, struct cie *cie);

#endif
