package unwind

// Report summarizes the processing of a section.
type Report struct {
	FDEs               int          // used, wholly or not
	Rows               int          // in the table, with those for code without FDEs
	CodeBytes          uint64       // covered by FDEs
	InexpressibleBytes uint64       // of these, where a register of the caller cannot be expressed by a rule
	Skipped            [reasons]int // FDEs by the Reason why they are not used, or not wholly
	RulesLost          int          // rows whose rule no longer fitted into the table's set
}

// Reason is why an FDE is not used, or not wholly.
type Reason uint8

// The reasons. String returns the sentence.
const (
	Used      Reason = iota // it is
	NoCIE                   // its CIE is missing, malformed or of an unknown kind
	Malformed               // its header cannot be read
	Removed                 // its function was removed by the linker
	Empty                   // it covers no code
	Shadowed                // its code is covered by FDEs before it
	Broken                  // its program cannot be read to the end: what follows is unknown
	reasons
)

var sentences = [reasons]string{
	Used:      "used",
	NoCIE:     "its CIE is missing, malformed or of an unknown kind",
	Malformed: "its header cannot be read",
	Removed:   "its function was removed by the linker",
	Empty:     "it covers no code",
	Shadowed:  "its code is covered by FDEs before it",
	Broken:    "its program cannot be read to the end",
}

func (r Reason) String() string {
	if r >= reasons {
		return "unknown reason"
	}
	return sentences[r]
}
