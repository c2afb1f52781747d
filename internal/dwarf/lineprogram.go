package dwarf

import "math"

// row is a position in the source.
type row struct {
	file, line, column uint64 // the number of the file in its unit's table
}

// lineState is the registers of the machine that a line table is written for (6.2.2), without those that are not needed, and
// the row before the one that it works on.
type lineState struct {
	address   uint64
	operation uint64
	row       row

	last       row
	lastAt     uint64
	inSequence bool // last is the row before in this sequence
	live       bool // the sequence begins in the program's code

	gapLow, gapHigh uint64 // no want lies from gapLow up to gapHigh
}

// The opcodes (7.22) that do more than skip their operands.
const (
	opExtended       = 0
	opCopy           = 1
	opAdvancePC      = 2
	opAdvanceLine    = 3
	opSetFile        = 4
	opSetColumn      = 5
	opNegateStmt     = 6
	opBasicBlock     = 7
	opConstAddPC     = 8
	opFixedAdvancePC = 9
	opPrologueEnd    = 10
	opEpilogueBegin  = 11

	opEndSequence = 1
	opSetAddress  = 2
	opDefineFile  = 3
)

// findRows runs a unit's line table and finds the row that covers each of the wants: the last one at or before its address
// in a sequence that reaches beyond it. Sequences may come in any order. Of rows that cover the same address in several
// sequences the first counts.
func (w *walk) findRows(t *lineTable) error {
	c := w.open(t.unit.file, secLine, t.program)
	var s lineState
	s.reset()
	for c.offset() < t.end {
		if !w.budget.spend(1 + w.rowsInWindow(t, &s, c)) {
			return ErrTooBig
		}
		op := c.u8()
		if op >= t.opcodeBase {
			t.special(&s, op)
			w.emit(&s)
			continue
		}
		if op == opExtended {
			w.extended(t, &s, c)
		} else if t.standard(&s, c, op) {
			w.emit(&s)
		}
		if c.short {
			return errDamaged
		}
	}
	return nil
}

func (s *lineState) reset() {
	*s = lineState{row: row{file: 1, line: 1}}
}

func (t *lineTable) special(s *lineState, op uint8) {
	adjusted, lineRange := uint32(op-t.opcodeBase), uint32(t.lineRange)
	t.advance(s, uint64(adjusted/lineRange))
	s.row.line += uint64(t.lineBase + int64(adjusted%lineRange))
}

// advance moves the address by a number of operations, of which an instruction of some machines has several.
func (t *lineTable) advance(s *lineState, operations uint64) {
	if t.maxOperations == 1 {
		s.address += t.minInstruction * operations
		return
	}
	operations += s.operation
	s.address += t.minInstruction * (operations / t.maxOperations)
	s.operation = operations % t.maxOperations
}

// standard executes an opcode and reports whether it completes a row.
func (t *lineTable) standard(s *lineState, c *cursor, op uint8) bool {
	switch op {
	case opCopy:
		return true
	case opAdvancePC:
		t.advance(s, c.uleb())
	case opAdvanceLine:
		s.row.line += uint64(c.sleb())
	case opSetFile:
		s.row.file = c.uleb()
	case opSetColumn:
		s.row.column = c.uleb()
	case opConstAddPC:
		t.advance(s, uint64(255-t.opcodeBase)/t.lineRange)
	case opFixedAdvancePC:
		s.address += uint64(c.u16())
		s.operation = 0
	case opNegateStmt, opBasicBlock, opPrologueEnd, opEpilogueBegin:
	default:
		c.budget.spend(int(t.operands[op]))
		for range t.operands[op] {
			c.uleb()
		}
	}
	return false
}

func (w *walk) extended(t *lineTable, s *lineState, c *cursor) {
	length := c.uleb()
	if length > t.end-min(c.offset(), t.end) {
		c.fail()
		return
	}
	next := c.offset() + length
	if length == 0 {
		return
	}
	switch c.u8() {
	case opEndSequence:
		w.emit(s)
		s.reset()
	case opSetAddress:
		s.address, s.operation = c.number(uint8(min(length-1, 8))), 0
	case opDefineFile:
		f := fileName{name: c.value(t.encoding, formString, 0), directory: c.uleb()}
		if t.version < 5 && len(t.files) < fileLimit {
			t.files = append(t.files, f)
		}
	}
	c.seek(next)
}

// emit takes the finished row: the one before covers the addresses up to it.
func (w *walk) emit(s *lineState) {
	if !s.inSequence {
		s.live = w.isCode(s.address)
	} else if s.live && s.address > s.lastAt {
		w.assign(s)
	}
	s.last, s.lastAt, s.inSequence = s.row, s.address, true
}

// assign sets the row before the current one in the wants that it covers and that have none. Most rows lie between two
// wants, as did the row before.
func (w *walk) assign(s *lineState) {
	if s.lastAt >= s.gapLow && s.address <= s.gapHigh {
		return
	}
	i := w.lower(s.lastAt)
	first := i
	for ; i < len(w.wants) && w.wants[i].address < s.address; i++ {
		if wanted := &w.wants[i]; !wanted.hasRow {
			wanted.row, wanted.hasRow = s.last, true
		}
	}
	w.budget.spend((i - first) * coverSteps)
	s.gapLow, s.gapHigh = 0, math.MaxUint64
	if i > 0 {
		s.gapLow = w.wants[i-1].address + 1
	}
	if i < len(w.wants) {
		s.gapHigh = w.wants[i].address
	}
}

// The longest extended opcode that is skipped here, and how much of the window must lie ahead.
const (
	shortOpcode = 1 << 4
	linesAhead  = 2 + shortOpcode
)

// rowsInWindow runs the opcodes that lie in the cursor's window, up to one that is not among the usual ones, which is
// left to the general way. It returns how many it ran.
func (w *walk) rowsInWindow(t *lineTable, s *lineState, c *cursor) (steps int) {
	window, at := c.window, c.at
	for last := min(uint64(len(window)), t.end-c.base, uint64(at)+budgetShare); uint64(at)+linesAhead <= last; steps++ {
		op, size := window[at], 1
		switch {
		case op >= t.opcodeBase:
			t.special(s, op)
			w.emit(s)
		case op == opCopy:
			w.emit(s)
		case op == opSetColumn:
			s.row.column, size = shortNumber(window[at+1:], s.row.column)
		case op == opAdvanceLine:
			var lines int64
			lines, size = shortSigned(window[at+1:])
			s.row.line += uint64(lines)
		case op == opExtended:
			size = shortExtended(window[at+1:])
		case op != opNegateStmt && op != opBasicBlock && op != opPrologueEnd && op != opEpilogueBegin:
			size = 0
		}
		if size == 0 {
			break
		}
		at += size
	}
	c.at = at
	return steps
}

// shortNumber reads an unsigned number of one or two bytes after an opcode, and returns the size of both; if it is longer,
// the number before and 0.
func shortNumber(b []byte, before uint64) (n uint64, size int) {
	switch {
	case b[0] < 0x80:
		return uint64(b[0]), 2
	case b[1] < 0x80:
		return uint64(b[0]&0x7f) | uint64(b[1])<<7, 3
	}
	return before, 0
}

// shortSigned reads a signed number of one or two bytes after an opcode, and returns the size of both; 0 and 0 if it is
// longer.
func shortSigned(b []byte) (n int64, size int) {
	switch {
	case b[0] < 0x80:
		return int64(b[0]) << 57 >> 57, 2
	case b[1] < 0x80:
		return (int64(b[0]&0x7f) | int64(b[1])<<7) << 50 >> 50, 3
	}
	return 0, 0
}

// shortExtended returns the size of an extended opcode that does nothing here: mostly a discriminator. It is 0 for others.
func shortExtended(b []byte) int {
	if length := b[0]; length > 0 && length < shortOpcode && b[1] > opDefineFile {
		return 2 + int(length)
	}
	return 0
}
