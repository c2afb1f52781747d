package fastgzip

import (
	"encoding/binary"
	"math/bits"
)

const (
	windowSize = 32 << 10 // how far back a match may lie
	leastMatch = 4        // shorter ones are not looked for
	maxMatch   = 258
	hashBits   = 15
)

// step is a run of literals and the match that follows them; the last step of a block has none.
type step struct {
	literals uint32
	length   uint16
	distance uint16 // less 1
}

// matcher finds what has been there before. It remembers, for each hash of leastMatch bytes, one place: the last, as a
// position in the stream, modulo 2^32. Whatever it finds there counts only if it lies in the window and is the same.
type matcher struct {
	last [1 << hashBits]uint32
}

// find appends the steps of b[start:] to steps. b[:start] is what came before, and position that of b[0].
func (m *matcher) find(steps []step, b []byte, start int, position uint32) []step {
	literals := start // from here on nothing matched
	distance, stride := 1, 1
	for i := max(start, 1); i < len(b)-8; {
		next := load64(b, i)
		difference := next ^ load64(b, i-distance)
		if uint32(difference) == 0 {
			stride = 3 // in records like the last one it is enough to try some places
		} else {
			slot, here := &m.last[hash(next)], position+uint32(i)
			d := int(here - *slot)
			*slot = here
			if d > min(i, windowSize) || d == 0 || uint32(load64(b, i-d)) != uint32(next) {
				// No place before the last byte that differs begins a match at the same distance. Where nothing matches
				// at all, the search goes faster and faster.
				i += min(8-bits.LeadingZeros64(difference)/8, stride+(i-literals)>>5)
				continue
			}
			distance, stride = d, 1
		}
		end := i + leastMatch + equalBytes(b, i+leastMatch, distance)
		for i > literals && i > distance && b[i-1] == b[i-distance-1] {
			i--
		}
		length := min(end-i, maxMatch)
		steps = append(steps, step{uint32(i - literals), uint16(length), uint16(distance - 1)})
		i += length
		literals = i
		if i < len(b)-8 {
			m.last[hash(load64(b, i-2))] = position + uint32(i-2)
		}
	}
	return append(steps, step{literals: uint32(len(b) - literals)})
}

func load64(b []byte, i int) uint64 { return binary.LittleEndian.Uint64(b[i:]) }

// hash spreads the low leastMatch bytes of v over the table.
func hash(v uint64) uint32 {
	return uint32(v) * 0x9E3779B1 >> (32 - hashBits)
}

// equalBytes is how many bytes from i on are those that lie distance before them.
func equalBytes(b []byte, i, distance int) int {
	start := i
	for ; i+8 <= len(b); i += 8 {
		if difference := load64(b, i) ^ load64(b, i-distance); difference != 0 {
			return i - start + bits.TrailingZeros64(difference)/8
		}
	}
	for i < len(b) && b[i] == b[i-distance] {
		i++
	}
	return i - start
}
