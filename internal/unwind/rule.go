package unwind

// A Rule recovers a caller's registers from its callee's: with sp and fp the registers in the frame, pc the code
// address, and x an offset of the rule, it is three equations, one for the CFA (which is the caller's sp), one for the
// caller's fp, one for the return address. The walker in package cgo reads rules in this very layout
// (rows.h), and a kind more is a kind there too; docs/changing.md has the steps.
type Rule struct {
	CFA       CFAKind
	FP        FPKind
	RA        RAKind
	Flags     uint8
	CFAOffset int32
	CFAExtra  int32 // CFAPLT: the pc & 15 from which 8 more bytes are on the stack; dereferences: added afterwards
	FPOffset  int32
	RAOffset  int32
}

// CFAKind is how the canonical frame address is found.
type CFAKind uint8

// The kinds of CFA, each with its equation.
const (
	CFANone    CFAKind = iota // no unwind data covers this code: the walker tries the frame pointer
	CFAFromSP                 // cfa = sp + CFAOffset
	CFAFromFP                 // cfa = fp + CFAOffset
	CFADerefSP                // cfa = *(sp + CFAOffset) + CFAExtra
	CFADerefFP                // cfa = *(fp + CFAOffset) + CFAExtra
	CFAPLT                    // cfa = sp + CFAOffset + (pc & 15 >= CFAExtra ? 8 : 0)
	CFAUnknown                // there is unwind data, and no rule can express it: the stack ends here
)

// FPKind is how the caller's frame pointer is found.
type FPKind uint8

// The kinds of caller's fp, each with its equation.
const (
	FPSame    FPKind = iota // fp
	FPFromCFA               // *(cfa + FPOffset)
	FPFromSP                // *(sp + FPOffset)
	FPUnknown               // undefined, or not expressible: a frame that needs it ends the stack
	FPFromFP                // *(fp + FPOffset)
)

// RAKind is how the return address is found.
type RAKind uint8

// The kinds of return address, each with its equation.
const (
	RAFromCFA   RAKind = iota // *(cfa + RAOffset)
	RAFromSP                  // *(sp + RAOffset)
	RAUndefined               // there is no caller: the outermost frame of a thread
	RAUnknown                 // not expressible: the stack ends here
	RAFromLR                  // arm64: in the link register still, which is known only where a signal struck
)

// FlagSignalFrame marks the frame of a signal trampoline: the pc it recovers is where the signal struck, not a return
// address.
const FlagSignalFrame uint8 = 1

// expressible reports whether r has no unknown part.
func (r Rule) expressible() bool {
	return r.RA == RAUndefined || r.CFA != CFAUnknown && r.FP != FPUnknown && r.RA != RAUnknown
}
