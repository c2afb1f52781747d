package dwarf

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
