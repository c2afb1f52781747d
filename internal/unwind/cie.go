package unwind

// A cie is the common part of a group of FDEs. Its program is run once, when it is read: each of its FDEs starts with the
// resulting registers.
type cie struct {
	codeFactor uint64
	dataFactor int64
	ra         uint64 // the register that stands for the return address
	encoding   byte   // of addresses in FDEs
	sized      bool   // FDEs have the length of their augmentation data
	signal     bool
	initial    registers
}

// readCIE reads a CIE after its ID (Linux Standard Base, "Exception Frames"), or returns nil.
func readCIE(c cursor, m machine) *cie {
	e := readCIEHead(&c)
	if e == nil {
		return nil
	}
	p := program{cursor: c, cie: e, machine: m}
	for p.left() > 0 {
		p.step()
	}
	if p.failed || p.at != len(c.data) {
		return nil
	}
	e.initial = p.now
	return e
}

// readCIEHead reads the part of a CIE before its program, or returns nil.
func readCIEHead(c *cursor) *cie {
	var e cie
	version := c.u8()
	augmentation := c.text()
	if version == 4 {
		if c.u8() != 8 || c.u8() != 0 {
			return nil // addresses of another size, or segments
		}
	}
	e.codeFactor, e.dataFactor = c.uleb(), c.sleb()
	e.ra = c.returnRegister(version)
	if !e.readAugmentation(c, augmentation) || c.failed || version != 1 && version != 3 && version != 4 {
		return nil
	}
	return &e
}

func (c *cursor) returnRegister(version byte) uint64 {
	if version == 1 {
		return uint64(c.u8())
	}
	return c.uleb()
}

// readAugmentation reads the data that the letters of the augmentation announce. With an unknown letter the meaning of the
// FDEs is open, so it fails.
func (e *cie) readAugmentation(c *cursor, letters string) bool {
	if letters == "" {
		return true
	}
	if letters[0] != 'z' {
		return false
	}
	e.sized = true
	data := cursor{data: c.data, at: c.at}
	body := data.uleb()
	end := uint64(data.at) + body
	if data.failed || body > uint64(data.left()) {
		return false
	}
	for _, letter := range letters[1:] {
		if !e.readLetter(&data, letter) {
			return false
		}
	}
	c.at = int(end)
	return !data.failed && uint64(data.at) <= end
}

func (e *cie) readLetter(data *cursor, letter rune) bool {
	switch letter {
	case 'R':
		e.encoding = data.u8()
		return codeEncoding(e.encoding)
	case 'P': // the personality routine: of interest to exceptions only
		data.pointer(data.u8())
	case 'L': // the encoding of a pointer in each FDE's augmentation data, which is skipped by its size
		data.u8()
	case 'S':
		e.signal = true
	case 'B', 'G': // arm64: return addresses are signed with key B; stacks are tagged
	default:
		return false
	}
	return true
}

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
