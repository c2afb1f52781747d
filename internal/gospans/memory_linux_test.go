package gospans

import (
	"encoding/binary"
	"testing"
)

// Data is searched in front of the runtime's variable and behind it, wherever the linker has put it, up to where it ends.
func TestDataIsSearchedOnBothSides(t *testing.T) {
	const mark = 0x6d61726b
	for _, c := range []struct {
		what                   string
		start, limit, own, put uint64 // the memory that can be read, the variable, the word that is searched
		found                  bool
	}{
		{"behind it", 0x400000, 0x900000, 0x650010, 0x8ffff8, true},
		{"right in front of it", 0x400000, 0x900000, 0x650010, 0x650008, true},
		{"in the chunk in front of it, below 16 MiB", 0x400000, 0x900000, 0x650010, 0x64fff8, true},
		{"where the data begins, below 16 MiB", 0x400000, 0x900000, 0x650010, 0x400000, true},
		{"where the address space begins", 0, 0x20000, 0x11000, 0, true},
		{"in the chunk in front of it, above 16 MiB", 0x55550000, 0x55900000, 0x55650010, 0x5564fff8, true},
		{"so far in front of it that nothing of the runtime's is there", 0x50000000, 0x55900000, 0x55650010, 0x50000000, false},
		{"where the data begins in the middle of a chunk", 0x653000, 0x900000, 0x656010, 0x653008, true},
		{"where no memory is", 0x653000, 0x900000, 0x656010, 0x652ff8, false},
	} {
		t.Run(c.what, func(t *testing.T) {
			read := func(to []byte, from uint64) int {
				if from < c.start || from >= c.limit {
					return 0
				}
				n := min(uint64(len(to)), c.limit-from)
				clear(to[:n])
				if c.put >= from && c.put+8 <= from+n {
					binary.NativeEndian.PutUint64(to[c.put-from:], mark)
				}
				return int(n)
			}
			found := searchAround(c.own, read, func(at uint64, piece []byte) bool {
				for i := 0; i+8 <= len(piece); i += 8 {
					if wide(piece[i:]) == mark {
						if at+uint64(i) != c.put {
							t.Errorf("found at %#x", at+uint64(i))
						}
						return true
					}
				}
				return false
			})
			if found != c.found {
				t.Errorf("found: %t", found)
			}
		})
	}
}
