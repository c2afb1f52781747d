package dwarf

import (
	"bytes"
	"encoding/binary"
)

// cursor reads little-endian numbers from a part of a section through a window, so that a large section need not be in
// memory and what is skipped is not read. No read goes beyond the limit: the first that would makes the cursor short,
// and from then on it stands at the limit and yields zeros.
type cursor struct {
	section *Section
	limit   uint64 // in the section
	window  []byte // the section from base on, never beyond the limit
	base    uint64
	at      int    // the next byte in the window
	buffer  []byte // for windows of sections that are not in memory
	reach   uint64 // how large the buffer may become
	short   bool
	budget  *budget // for what is read; nil: it is not counted
}

// The sizes of windows: of a whole unit's entries or lines if they are not unusually large, and of single things.
const (
	unitWindow  = 1 << 23
	lineWindow  = 1 << 18
	tableWindow = 1 << 14
	textWindow  = 1 << 10
	entryWindow = 1 << 8
)

// longestNumber is the most that one read needs to see at once.
const longestNumber = 16

// open begins to read a section at an offset. A cursor keeps its buffer, and its window if it is still of use.
func (c *cursor) open(section *Section, offset, limit uint64) {
	limit = min(limit, section.size())
	if c.section != section || c.limit != limit || c.short {
		c.section, c.limit, c.short = section, limit, false
		c.window, c.base, c.at = nil, 0, 0
	}
	c.seek(offset)
}

func (c *cursor) offset() uint64 { return c.base + uint64(c.at) }

// seek continues at any offset up to the limit.
func (c *cursor) seek(offset uint64) {
	switch {
	case offset > c.limit:
		c.fail()
	case offset >= c.base && offset-c.base <= uint64(len(c.window)):
		c.at = int(offset - c.base)
	default:
		c.window, c.base, c.at = nil, offset, 0
	}
}

func (c *cursor) fail() {
	c.short = true
	c.window, c.base, c.at = nil, c.limit, 0
}

// fill makes sure that the window holds the next n bytes.
func (c *cursor) fill(n int) bool {
	offset := c.offset()
	if uint64(n) > c.limit-offset {
		c.fail()
		return false
	}
	if want := min(max(c.reach, longestNumber), c.limit-offset); c.section.Reader != nil && uint64(len(c.buffer)) < want {
		c.buffer = make([]byte, want)
	}
	c.window, c.base, c.at = c.section.read(offset, c.limit, c.buffer), offset, 0
	afforded := c.section.Reader == nil || c.budget.spend(fillSteps+len(c.window)/stepBytes)
	if len(c.window) < n || !afforded {
		c.fail()
		return false
	}
	return true
}

func (c *cursor) skip(n uint64) {
	if n <= uint64(len(c.window)-c.at) {
		c.at += int(n)
		return
	}
	c.skipFar(n)
}

func (c *cursor) skipFar(n uint64) {
	if n > c.limit-c.offset() {
		c.fail()
		return
	}
	c.seek(c.offset() + n)
}

func (c *cursor) u8() uint8 {
	if c.at >= len(c.window) && !c.fill(1) {
		return 0
	}
	b := c.window[c.at]
	c.at++
	return b
}

func (c *cursor) u16() uint16 {
	if len(c.window)-c.at < 2 && !c.fill(2) {
		return 0
	}
	n := binary.LittleEndian.Uint16(c.window[c.at:])
	c.at += 2
	return n
}

func (c *cursor) u32() uint32 {
	if len(c.window)-c.at < 4 && !c.fill(4) {
		return 0
	}
	n := binary.LittleEndian.Uint32(c.window[c.at:])
	c.at += 4
	return n
}

func (c *cursor) u64() uint64 {
	if len(c.window)-c.at < 8 && !c.fill(8) {
		return 0
	}
	n := binary.LittleEndian.Uint64(c.window[c.at:])
	c.at += 8
	return n
}

// number reads an unsigned number of 1, 2, 3, 4 or 8 bytes; of one of any other size, only the length is right.
func (c *cursor) number(size uint8) uint64 {
	switch size {
	case 1:
		return uint64(c.u8())
	case 2:
		return uint64(c.u16())
	case 3:
		low := uint64(c.u16())
		return low | uint64(c.u8())<<16
	case 4:
		return uint64(c.u32())
	case 8:
		return c.u64()
	}
	c.skip(uint64(size))
	return 0
}

// uleb reads an unsigned LEB128 number, modulo 2^64. Hardly any has more than two bytes.
func (c *cursor) uleb() uint64 {
	if rest := c.window[c.at:]; len(rest) >= 2 {
		if rest[0] < 0x80 {
			c.at++
			return uint64(rest[0])
		}
		if rest[1] < 0x80 {
			c.at += 2
			return uint64(rest[0]&0x7f) | uint64(rest[1])<<7
		}
	}
	value, _ := c.leb()
	return value
}

// sleb reads a signed LEB128 number.
func (c *cursor) sleb() int64 {
	value, bits := c.leb()
	if bits < 64 {
		return int64(value<<(64-bits)) >> (64 - bits)
	}
	return int64(value)
}

// leb reads a number of any size, but one of more bytes than a writer has a use for, ten of which hold 64 bits, is damage.
func (c *cursor) leb() (value uint64, bits uint) {
	for range longestNumber {
		b := c.u8()
		if bits < 64 {
			value |= uint64(b&0x7f) << bits
			bits += 7
		}
		if b < 0x80 {
			return value, bits
		}
	}
	c.fail()
	return 0, 64
}

// skipText skips a string and the zero byte at its end.
func (c *cursor) skipText() {
	for {
		end := bytes.IndexByte(c.window[c.at:], 0)
		if end >= 0 {
			c.at += end + 1
			c.budget.spend(end / stepBytes)
			return
		}
		c.budget.spend((len(c.window) - c.at) / stepBytes)
		if c.at = len(c.window); !c.fill(1) {
			return
		}
	}
}

// text reads a string. One that is longer than limit, or has no end, comes back empty, and the cursor is left where that
// was noticed.
func (c *cursor) text(limit int) string {
	var long []byte
	for len(long) <= limit {
		rest := c.window[c.at:]
		rest = rest[:min(len(rest), limit+1-len(long))]
		if end := bytes.IndexByte(rest, 0); end >= 0 {
			c.at += end + 1
			c.budget.spend(1 + end)
			if len(long) == 0 {
				return string(rest[:end])
			}
			return string(append(long, rest[:end]...))
		}
		long = append(long, rest...)
		c.budget.spend(len(rest))
		if c.at += len(rest); c.at == len(c.window) && len(long) <= limit && !c.fill(1) {
			return ""
		}
	}
	return ""
}

// unitLength reads the length that stands before every DWARF contribution, and the size of its offsets (7.4).
func (c *cursor) unitLength() (length uint64, offsetSize uint8) {
	if length := c.u32(); length != 0xffffffff {
		return uint64(length), 4
	}
	return c.u64(), 8
}
