package unwind

import "github.com/cgoheap/cgoheap/internal/scratch"

// A builder appends rows to a table in the order of their addresses.
type builder struct {
	report  *Report
	machine machine
	table   *Table
	index   map[Rule]uint16 // of the table's set
	covered uint64          // end of the code that has rows
	memory  *scratch.Memory // of the table's rows
}

// add gives an FDE's code its rows. FDEs come sorted by start.
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

// cover gives the code from start up to limit a rule, as far as it has none, and the gap before it a CFANone row.
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

// rule gives a rule's place in the set. When the set is full, a new rule is as good as unknown.
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

// row appends a row unless it says what the last one says.
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
