package unwind

import "testing"

func TestPastTheEndACursorReadsZerosAndStaysFailed(t *testing.T) {
	for name, c := range map[string]struct {
		bytes int // that there are: too few
		read  func(*cursor) uint64
	}{
		"u8":   {0, func(c *cursor) uint64 { return uint64(c.u8()) }},
		"u16":  {1, func(c *cursor) uint64 { return uint64(c.u16()) }},
		"u32":  {3, func(c *cursor) uint64 { return uint64(c.u32()) }},
		"u64":  {7, (*cursor).u64},
		"uleb": {2, (*cursor).uleb},
		"sleb": {2, func(c *cursor) uint64 { return uint64(c.sleb()) }},
		"text": {2, func(c *cursor) uint64 { return uint64(len(c.text())) }},
	} {
		at := &cursor{data: []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}[:c.bytes]}
		c.read(at)
		if again := c.read(at); !at.failed || again != 0 || at.left() != 0 {
			t.Errorf("%s: failed: %v, then %d, and %d bytes are left", name, at.failed, again, at.left())
		}
	}
}
