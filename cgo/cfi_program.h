// The instructions of a CIE and an FDE, run up to an address. See internal/unwind/program.go and internal/unwind/registers.go.
#ifndef CGOHEAP_CFI_PROGRAM_H
#define CGOHEAP_CFI_PROGRAM_H

#include "cfi_value.h"
#include "rows.h"

enum how {
	UNSPECIFIED, // whatever the ABI says
	UNDEFINED,   // lost
	SAME,        // in the register
	AT_CFA,      // *(cfa + offset)
	AT_SP,       // *(sp + offset)
	AT_FP,       // *(fp + offset)
	IS_CFA,      // cfa + offset
	ELSEWHERE,   // in another register, or found by an expression with no name here
};

// The place of the caller's value of a register.
struct saved {
	enum how how;
	int64_t offset;
};

// The state at one address: the CFA, which is register + offset or, if expression has a form, expression; and where the
// caller's values of three registers are.
struct state {
	uint64_t cfa_register;
	int64_t cfa_offset;
	struct value expression;
	struct saved sp, fp, ra;
};

struct cie {
	uint64_t code_factor;
	int64_t data_factor;
	uint64_t ra;      // the number of the column for the return address
	uint8_t encoding; // of addresses in FDEs
	bool sized;       // FDEs have the length of their augmentation data
	bool signal;
	struct state initial;
};

// Runs the instructions of a CIE from r->at to r->end; they have no addresses.
void cfi_run_cie(struct reader *r, struct cie *cie);

// The code that an FDE covers.
struct span {
	uintptr_t start, limit;
};

// Sets *now to the state at pc by the instructions from r->at to r->end. False if they cannot be read up to pc.
bool cfi_run(struct reader *r, const struct cie *cie, struct span code, uintptr_t pc, struct state *now);

#endif
