package symbolize

import "github.com/cgoheap/cgoheap/mappings"

// Line is one function at an address, and the place in its source that was being executed: for the innermost function
// the instruction's own line, for the others the line of the inlined call.
type Line struct {
	Function     string // for a person: demangled in the Symbolizer's Style
	SystemName   string // as the linker knows it; that of a C++ function without a mangled name is its plain one
	File         string // absolute where the compiler recorded its directory; "" if unknown
	Line, Column int    // from 1; 0 if unknown
	StartLine    int    // the line of the function's definition; 0 if unknown
}

// Result is what is known about one address: its lines, innermost first, or the reason why there are none. Exactly one
// of the two is set. Beside lines, Lack may say why they are only what a symbol tells, or not all: that there is debug
// data, or was to be, which could not be read.
type Result struct {
	Lines  []Line
	Reason Reason
	Lack   Reason // Named if nothing is known to be missing

	// Start is where the function begins around an address without lines, as unwind data has it; 0 if that is not known.
	Start mappings.ELFAddr
}
