package symbolize

import "encoding/binary"

// cursor reads little-endian DWARF bytes. After the first read past the end it is short and yields zeros.
type cursor struct {
	bytes []byte
	short bool
}

func (c *cursor) take(n uint64) []byte {
	if n > uint64(len(c.bytes)) {
		c.short, c.bytes = true, nil
		return nil
	}
	taken := c.bytes[:n]
	c.bytes = c.bytes[n:]
	return taken
}

// number reads an unsigned number of 1, 2, 4 or 8 bytes.
func (c *cursor) number(size uint64) uint64 {
	var wide [8]byte
	copy(wide[:], c.take(size))
	return binary.LittleEndian.Uint64(wide[:])
}

// leb reads an unsigned LEB128 number. Of one that does not fit in 64 bits, and of a signed one, only the length is
// right.
func (c *cursor) leb() uint64 {
	var value uint64
	for shift := 0; ; shift += 7 {
		b := c.number(1)
		if shift < 64 {
			value |= b & 0x7f << shift
		}
		if b < 0x80 || c.short {
			return value
		}
	}
}

// text skips a string that ends in a zero byte and returns its length.
func (c *cursor) text() int {
	for n := 0; ; n++ {
		if c.number(1) == 0 {
			return n
		}
	}
}

// unitLength reads the length that stands before every DWARF contribution, and the size of its offsets (7.4).
func (c *cursor) unitLength() (length, offsetSize uint64) {
	if length = c.number(4); length != 0xffffffff {
		return length, 4
	}
	return c.number(8), 8
}
