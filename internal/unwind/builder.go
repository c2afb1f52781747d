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
