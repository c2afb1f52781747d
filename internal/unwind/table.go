package unwind

import (
	"sort"

	"github.com/cgoheap/cgoheap/internal/scratch"
)

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

// A builder appends rows to a table in the order of their addresses.
type builder struct {
	report  *Report
	machine machine
	table   *Table
	index   map[Rule]uint16 // of the table's set
	covered uint64          // end of the code that has rows
	memory  *scratch.Memory // of the table's rows
}

// add appends the rows of an FDE's code. FDEs come sorted by start.
func (b *builder) add(f *fde) {
	if f.limit <= b.covered {
		b.report.Skipped[Shadowed]++
		return
	}
	b.report.FDEs++
	p := program{
		cursor: f.program, dataAddr: f.addr, machine: b.machine,
		cie: f.cie, now: f.cie.initial, pc: f.start, limit: f.limit, rows: b,
	}
	if !p.run() {
		b.report.Skipped[Broken]++
	}
}

// cover sets the rule of the code from start up to limit, unless it has one, and a CFANone row for the hole before it.
func (b *builder) cover(start, limit uint64, r Rule) {
	start = max(start, b.covered)
	if start >= limit {
		return
	}
	if start > b.covered && len(b.table.PCs) > 0 {
		b.row(b.covered, setNone)
	}
	at := b.rule(r)
	b.row(start, at)
	b.covered = limit
	b.report.CodeBytes += limit - start
	if !b.table.Set[at].expressible() {
		b.report.InexpressibleBytes += limit - start
	}
}

// rule returns a rule's index in the set. When the set is full, a new rule counts as unknown.
func (b *builder) rule(r Rule) uint16 {
	if r.CFA == CFAUnknown && r.RA != RAUndefined {
		return setUnknown
	}
	if i, ok := b.index[r]; ok {
		return i
	}
	if len(b.table.Set) == maxSet {
		b.report.RulesLost++
		return setUnknown
	}
	i := uint16(len(b.table.Set))
	b.table.Set = append(b.table.Set, r)
	b.index[r] = i
	return i
}

// row appends a row unless it equals the last one.
func (b *builder) row(pc uint64, rule uint16) {
	t := b.table
	if n := len(t.Rules); n > 0 && t.Rules[n-1] == rule {
		return
	}
	t.PCs = scratch.Append(b.memory, t.PCs, uint32(pc-t.Base))
	t.Rules = scratch.Append(b.memory, t.Rules, rule)
}

func (b *builder) finish() {
	if len(b.table.PCs) > 0 {
		b.row(b.covered, setNone)
	}
	b.report.Rows = len(b.table.PCs)
}
