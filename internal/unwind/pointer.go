package unwind

// Encodings of pointers (Linux Standard Base, "DWARF Exception Header Encoding"): a format, what the number counts from,
// and whether it points to the pointer.
const (
	formatMask     = 0x0f
	formatPointer  = 0x00
	formatULEB     = 0x01
	formatU2       = 0x02
	formatU4       = 0x03
	formatU8       = 0x04
	formatSigned   = 0x08
	formatSLEB     = 0x09
	formatS2       = 0x0a
	formatS4       = 0x0b
	formatS8       = 0x0c
	originMask     = 0x70
	originAbsolute = 0x00
	originField    = 0x10 // the address of the pointer itself
	encodingFar    = 0x80
)

// pointer reads a number in the format of an encoding, whatever it counts from.
func (c *cursor) pointer(encoding byte) uint64 {
	switch encoding & formatMask {
	case formatPointer, formatU8, formatSigned, formatS8:
		return c.u64()
	case formatULEB:
		return c.uleb()
	case formatSLEB:
		return uint64(c.sleb())
	case formatU2:
		return uint64(c.u16())
	case formatS2:
		return uint64(int16(c.u16()))
	case formatU4:
		return uint64(c.u32())
	case formatS4:
		return uint64(int32(c.u32()))
	}
	c.fail()
	return 0
}

// codeEncoding reports whether an address of code in this encoding can be found from the section alone. Encodings that count
// from the start of text or data cannot, and no linker writes them here.
func codeEncoding(encoding byte) bool {
	origin := encoding & originMask
	return encoding&encodingFar == 0 && (origin == originAbsolute || origin == originField)
}

// address reads an ELF address of code. A number of 0 is no address, wherever it counts from: linkers leave it in the
// FDEs of functions that they removed.
func (c *cursor) address(encoding byte, dataAddr uint64) uint64 {
	field := dataAddr + uint64(c.at)
	number := c.pointer(encoding)
	if number != 0 && encoding&originMask == originField {
		return field + number
	}
	return number
}
