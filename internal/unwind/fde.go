package unwind

// An fde is a range of code and where the program that describes it lies.
type fde struct {
	start, limit uint64 // ELF addresses
	cie          *cie
	program      cursor // at its program
	addr         uint64 // of the cursor's data
}

// readFDE reads an FDE behind the pointer to its CIE, which is nil where there is none that can be used. The cursor's data
// has the ELF address addr.
func readFDE(c cursor, e *cie, addr uint64) (fde, Reason) {
	if e == nil {
		return fde{}, NoCIE
	}
	f := fde{cie: e, addr: addr}
	f.start = c.address(e.encoding, addr)
	length := c.pointer(e.encoding)
	if e.sized {
		c.take(c.uleb())
	}
	f.program, f.limit = c, f.start+length
	switch {
	case c.failed || f.limit < f.start:
		return fde{}, Malformed
	case f.start == 0:
		return fde{}, Removed
	case length == 0:
		return fde{}, Empty
	}
	return f, Used
}
