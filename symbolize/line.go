package symbolize

import "github.com/cgoheap/cgoheap/mappings"

// Line is one function at an address, with the source position that was being executed: for the innermost function the
// instruction's own line, for the others the line of the inlined call.
type Line struct {
	Function     string // for a person: demangled in the Symbolizer's Style
	SystemName   string // the linker's name; for a C++ function without a mangled name, its plain name
	File         string // absolute where the compiler recorded its directory; "" if unknown
	Line, Column int    // from 1; 0 if unknown
	StartLine    int    // the line of the function's definition; 0 if unknown
}

// Result is the answer for one address: its lines, innermost first, or the reason why there are none. Exactly one of the two
// is set. Beside lines, Lack may be the reason why they are only a symbol's, or incomplete: debug data exists, or was
// expected, but could not be read.
type Result struct {
	Lines  []Line
	Reason Reason
	Lack   Reason // named if nothing is known to be missing

	// Start is the start of the function around an address without lines, by unwind data; 0 if unknown.
	Start mappings.ELFAddr
}
