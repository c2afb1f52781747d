package unwind

import "sort"

// Table is the unwind data of one module as rows sorted by address: Set[Rules[i]] holds from Base + PCs[i] up to
// Base + PCs[i+1]. The last row is a CFANone row at the end of the covered code, and CFANone rows fill the holes. Neighbours
// differ. A module without FDEs has no rows.
type Table struct {
	Base  uint64 // ELF address that PCs count from
	PCs   []uint32
	Rules []uint16
	Set   []Rule
}

// The rules that every set starts with.
const (
	setNone = iota
	setUnknown
	maxSet = 65535
)

func newTable() *Table {
	return &Table{Set: []Rule{setNone: {}, setUnknown: {CFA: CFAUnknown}}}
}

// Lookup returns the rule at an ELF address, CFANone where no row covers it. For a return address, ask for the address
// before it: the call may be the last instruction of its function.
func (t *Table) Lookup(elfAddr uint64) Rule {
	after := sort.Search(len(t.PCs), func(i int) bool { return t.Base+uint64(t.PCs[i]) > elfAddr })
	if after == 0 {
		return Rule{}
	}
	return t.Set[t.Rules[after-1]]
}

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
