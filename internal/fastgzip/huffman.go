package fastgzip

import (
	"math/bits"
	"slices"
)

// maxCodeBits is the length of the longest code of a literal, a match's length or a distance; maxLengthBits that of the
// code in which the lengths of those are described.
const (
	maxCodeBits   = 15
	maxLengthBits = 7
)

// code is a symbol's bits, in the order in which they are written, and their number; 0 if the symbol does not occur.
type code struct {
	bits   uint16
	length uint8
}

// huffman makes codes of at most maxBits for symbols that occur as often as counts says, which it changes. At least two
// symbols get one: some readers refuse fewer.
func huffman(codes []code, counts []uint32, maxBits int) {
	used := 0
	for _, n := range counts {
		used += min(int(n), 1)
	}
	for symbol := 0; used < 2; symbol++ {
		if counts[symbol] == 0 {
			counts[symbol] = 1
			used++
		}
	}
	// A code is too long only where some symbols are very rare. Counts that are less far apart cost little there.
	for !setLengths(codes, counts, maxBits) {
		for symbol, n := range counts {
			if n > 0 {
				counts[symbol] = n/4 + 1
			}
		}
	}
	setBits(codes)
}

// tree is Huffman's, as an array: first the leaves, rare ones first, then the pairs in the order in which they are made,
// which is also from rare to frequent; the root is last. So each step finds the two rarest nodes at the heads of two
// queues.
type tree struct {
	counts  [2 * literalSymbols]uint32
	parents [2 * literalSymbols]uint16
}

// setLengths sets the length of each symbol's code to its depth in the tree. It is false if one is over maxBits.
func setLengths(codes []code, counts []uint32, maxBits int) bool {
	var room [literalSymbols]uint64
	sorted := room[:0] // counts and, below them, symbols
	for symbol, n := range counts {
		codes[symbol].length = 0
		if n > 0 {
			sorted = append(sorted, uint64(n)<<32|uint64(symbol))
		}
	}
	slices.Sort(sorted)
	var t tree
	root := t.grow(sorted)
	depths := &t.counts // no longer needed as counts
	depths[root] = 0
	for i := root - 1; i >= 0; i-- {
		depths[i] = depths[t.parents[i]] + 1
		if i < len(sorted) {
			if depths[i] > uint32(maxBits) {
				return false
			}
			codes[uint32(sorted[i])].length = uint8(depths[i])
		}
	}
	return true
}

// grow makes the tree of these leaves and returns its root.
func (t *tree) grow(sorted []uint64) (root int) {
	for i, leaf := range sorted {
		t.counts[i] = uint32(leaf >> 32)
	}
	leaf, pair := 0, len(sorted)
	for next := len(sorted); next < 2*len(sorted)-1; next++ {
		for range 2 {
			rarest := &pair
			if leaf < len(sorted) && (pair == next || t.counts[leaf] <= t.counts[pair]) {
				rarest = &leaf
			}
			t.counts[next] += t.counts[*rarest]
			t.parents[*rarest] = uint16(next)
			*rarest++
		}
	}
	return 2*len(sorted) - 2
}

// setBits numbers the codes of each length in the order of their symbols (RFC 1951, 3.2.2).
func setBits(codes []code) {
	var next [maxCodeBits + 2]uint16
	for _, c := range codes {
		if c.length > 0 {
			next[c.length+1]++
		}
	}
	for length := 1; length < len(next); length++ {
		next[length] = (next[length-1] + next[length]) << 1
	}
	for i := range codes {
		if length := codes[i].length; length > 0 {
			codes[i].bits = bits.Reverse16(next[length]) >> (16 - length)
			next[length]++
		}
	}
}
