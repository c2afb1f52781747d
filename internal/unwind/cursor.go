package unwind

import (
	"bytes"
	"encoding/binary"
)

// A cursor reads little-endian numbers from data[at:]. Past the end, or at a malformed number, it returns zeros and stays
// failed: callers read a whole structure and check once.
type cursor struct {
	data   []byte
	at     int
	failed bool
}

func (c *cursor) left() int { return len(c.data) - c.at }

func (c *cursor) fail() { c.at, c.failed = len(c.data), true }

// take returns the next n bytes, or nil.
func (c *cursor) take(n uint64) []byte {
	if n > uint64(c.left()) {
		c.fail()
		return nil
	}
	b := c.data[c.at : c.at+int(n)]
	c.at += int(n)
	return b
}

func (c *cursor) u8() byte {
	if c.at >= len(c.data) {
		c.fail()
		return 0
	}
	c.at++
	return c.data[c.at-1]
}

func (c *cursor) u16() uint16 {
	if b := c.take(2); b != nil {
		return binary.LittleEndian.Uint16(b)
	}
	return 0
}

func (c *cursor) u32() uint32 {
	if b := c.take(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (c *cursor) u64() uint64 {
	if b := c.take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// leb reads the bits of a LEB128 number of at most ten bytes (DWARF 5, section 7.6). rest is what sign extension would
// add: the bits above those read, or 0 when the sign bit is clear.
func (c *cursor) leb() (bits, rest uint64) {
	for shift := uint(0); shift < 70; shift += 7 {
		b := c.u8()
		bits |= uint64(b&0x7f) << shift
		if b&0x80 != 0 {
			continue
		}
		if b&0x40 != 0 {
			rest = ^uint64(0) << (shift + 7)
		}
		return bits, rest
	}
	c.fail()
	return 0, 0
}

func (c *cursor) uleb() uint64 {
	bits, _ := c.leb()
	return bits
}

func (c *cursor) sleb() int64 {
	bits, rest := c.leb()
	return int64(bits | rest)
}

// text reads a string that ends with a zero byte.
func (c *cursor) text() string {
	length := bytes.IndexByte(c.data[c.at:], 0)
	if length < 0 {
		c.fail()
		return ""
	}
	text := string(c.data[c.at : c.at+length])
	c.at += length + 1
	return text
}
