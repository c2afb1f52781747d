// The values that instructions of unwind data compute, on the way to a rule. Package unwind's value.go and
// expression.go do the same in Go.
#ifndef CGOHEAP_CFI_VALUE_H
#define CGOHEAP_CFI_VALUE_H

#include "image.h"

enum form {
	FORM_NONE,     // no value
	FORM_UNKNOWN,  // any value
	FORM_NUMBER,   // offset
	FORM_SP,       // sp + offset
	FORM_FP,       // fp + offset
	FORM_PC,       // pc + offset
	FORM_CFA,      // cfa + offset
	FORM_DEREF_SP, // *(sp + offset) + extra
	FORM_DEREF_FP, // *(fp + offset) + extra
	FORM_SLOT,     // pc & 15
	FORM_PUSHED,   // pc & 15 >= extra
	FORM_PUSH,     // pc & 15 >= extra ? 8 : 0
	FORM_PLT,      // sp + offset + (pc & 15 >= extra ? 8 : 0)
};

struct value {
	enum form form;
	int64_t offset, extra;
};

// register + offset
struct value value_of_register(uint64_t number, int64_t offset);

// The value that the DWARF expression from r->at to r->end leaves on the stack; first is pushed before it, if it has a form.
struct value cfi_evaluate(struct reader *r, struct value first);

#endif
