package elffile

import "math/bits"

// huffman decodes one kind of symbol with a table that is looked up by the next bits of the input. A code that is longer
// leads to a second table, which is looked up by the bits after these.
type huffman struct {
	table [1<<tableBits + maxLiterals<<(maxCodeBits-tableBits)]code
}

const (
	maxLiterals  = 288
	maxDistances = 32
	maxCodeBits  = 15
	tableBits    = 10
)

// code is what some bits stand for: the length of the code in the lowest 8 bits, then in 4 bits how many more bits are
// to be added to the base, then the kind in 4, and the base in the highest 16.
type code uint32

const (
	kindNone    = iota // no symbol has this code
	kindLiteral        // the base is the byte
	kindCount          // a length or a distance
	kindEnd            // of the block
	kindSecond         // the base is where the second table is
)

func makeCode(kind, base, extra uint32) code { return code(base<<16 | kind<<12 | extra<<8) }

func (c code) length() uint { return uint(c & 0xff) }
func (c code) extra() uint  { return uint(c >> 8 & 0xf) }
func (c code) kind() uint32 { return uint32(c >> 12 & 0xf) }
func (c code) base() uint32 { return uint32(c >> 16) }

// decode gives the symbol whose code is at the lowest of the bits.
func (h *huffman) decode(bits uint64) code {
	e := h.table[bits&(1<<tableBits-1)]
	if e.kind() == kindSecond {
		e = h.table[(uint64(e.base())+bits>>tableBits&(1<<(maxCodeBits-tableBits)-1))%uint64(len(h.table))]
	}
	return e
}

// build makes the table from the lengths of the symbols' codes (RFC 1951, 3.2.2). It reports false if they cannot be.
func (h *huffman) build(lengths []uint8, symbol func(int) code) bool {
	var counts, next [maxCodeBits + 1]uint32
	for _, n := range lengths {
		counts[n]++
	}
	counts[0] = 0
	for n := 1; n <= maxCodeBits; n++ {
		next[n] = (next[n-1] + counts[n-1]) << 1
		if next[n]+counts[n] > 1<<n {
			return false
		}
	}
	clear(h.table[:1<<tableBits])
	used := uint32(1 << tableBits)
	for i, n := range lengths {
		if n == 0 {
			continue
		}
		reversed := bits.Reverse32(next[n]) >> (32 - n)
		next[n]++
		e := symbol(i) | code(n)
		if n <= tableBits {
			for at := reversed; at < 1<<tableBits; at += 1 << n {
				h.table[at] = e
			}
			continue
		}
		used = h.second(reversed, e, used)
	}
	return true
}

// second enters a code that is longer than the first table's index.
func (h *huffman) second(reversed uint32, e code, used uint32) uint32 {
	first := &h.table[reversed&(1<<tableBits-1)]
	if first.kind() != kindSecond {
		*first = makeCode(kindSecond, used, 0)
		clear(h.table[used : used+1<<(maxCodeBits-tableBits)])
		used += 1 << (maxCodeBits - tableBits)
	}
	for at := reversed >> tableBits; at < 1<<(maxCodeBits-tableBits); at += 1 << (e.length() - tableBits) {
		h.table[first.base()+at] = e
	}
	return used
}

// literalCode is the meaning of a symbol of the first alphabet (3.2.5).
func literalCode(symbol int) code {
	switch {
	case symbol < 256:
		return makeCode(kindLiteral, uint32(symbol), 0)
	case symbol == 256:
		return makeCode(kindEnd, 0, 0)
	case symbol < 265:
		return makeCode(kindCount, uint32(symbol)-254, 0)
	case symbol < 285:
		extra := uint32(symbol-261) / 4
		return makeCode(kindCount, (4+uint32(symbol-265)%4)<<extra+3, extra)
	case symbol == 285:
		return makeCode(kindCount, 258, 0)
	}
	return 0
}

// distanceCode is the meaning of a symbol of the second alphabet.
func distanceCode(symbol int) code {
	switch {
	case symbol < 4:
		return makeCode(kindCount, uint32(symbol)+1, 0)
	case symbol < 30:
		extra := uint32(symbol-2) / 2
		return makeCode(kindCount, (2+uint32(symbol)%2)<<extra+1, extra)
	}
	return 0
}

// fixedCodes sets the tables up for blocks that do not bring their own (3.2.6).
func (d *inflater) fixedCodes() {
	for i := range d.lengths[:maxLiterals] {
		switch {
		case i < 144 || i >= 280:
			d.lengths[i] = 8
		case i < 256:
			d.lengths[i] = 9
		default:
			d.lengths[i] = 7
		}
	}
	d.literals.build(d.lengths[:maxLiterals], literalCode)
	for i := range maxDistances {
		d.lengths[i] = 5
	}
	d.dists.build(d.lengths[:maxDistances], distanceCode)
}

// lengthOrder is the order in which the lengths of the codes for lengths come (3.2.7).
var lengthOrder = [19]uint8{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

// dynamicCodes reads the codes of a block.
func (d *inflater) dynamicCodes() error {
	d.refill()
	literals, distances, count := int(d.take(5))+257, int(d.take(5))+1, int(d.take(4))+4
	if literals > 286 {
		return errInflate
	}
	var order [19]uint8
	for i := range count {
		d.refill()
		order[lengthOrder[i]] = uint8(d.take(3))
	}
	if !d.literals.build(order[:], func(i int) code { return makeCode(kindLiteral, uint32(i), 0) }) {
		return errInflate
	}
	if !d.readLengths(d.lengths[:literals+distances]) {
		return errInflate
	}
	if !d.literals.build(d.lengths[:literals], literalCode) ||
		!d.dists.build(d.lengths[literals:literals+distances], distanceCode) {
		return errInflate
	}
	return nil
}

// readLengths reads the lengths of codes, which are coded themselves, with repetitions.
func (d *inflater) readLengths(lengths []uint8) bool {
	for i := 0; i < len(lengths); {
		d.refill()
		e := d.literals.decode(d.bits)
		if e.kind() != kindLiteral || d.missing > d.count {
			return false
		}
		d.drop(e)
		length, times := uint8(e.base()), 1
		switch e.base() {
		case 16:
			if i == 0 {
				return false
			}
			length, times = lengths[i-1], int(d.take(2))+3
		case 17:
			length, times = 0, int(d.take(3))+3
		case 18:
			length, times = 0, int(d.take(7))+11
		}
		if times > len(lengths)-i {
			return false
		}
		for range times {
			lengths[i] = length
			i++
		}
	}
	return true
}
