package unwind

// An fde is a range of code and where the program that describes it lies.
type fde struct {
	start, limit uint64 // ELF addresses
	cie          *cie
	at, end      int // the program is Section.Data[at:end]
}

// readFDE reads an FDE behind the pointer to its CIE, which is nil where there is none that can be used.
func readFDE(c cursor, e *cie, sectionAddr uint64) (fde, Reason) {
	if e == nil {
		return fde{}, NoCIE
	}
	f := fde{cie: e, end: len(c.data)}
	f.start = c.address(e.encoding, sectionAddr)
	length := c.pointer(e.encoding)
	if e.sized {
		c.take(c.uleb())
	}
	f.at, f.limit = c.at, f.start+length
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
