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
