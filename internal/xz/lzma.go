package xz

const (
	states        = 12 // what the last few symbols were
	literalStates = 7  // those after a literal
	posStates     = 16
	lengthStates  = 4 // of a match, for the coding of its distance
	slots         = 64
	modelSlots    = 14 // distance slots from here on have bits without probabilities
	alignBits     = 4
	minMatch      = 2
	maxLiterals   = 1 << 4 // contexts of literals: lc + lp is at most 4
)

// lzma is the state of the decoder: the probabilities, and the distances of the last four matches.
type lzma struct {
	lc, lp, pb uint // how many bits of context literals have, of the last byte and of the position, and other symbols
	state      int
	reps       [4]uint32

	isMatch, isLongRep            [states][posStates]prob
	isRep, isRep0, isRep1, isRep2 [states]prob
	slot                          [lengthStates][slots]prob
	special                       [1 + 128 - modelSlots]prob
	align                         [1 << alignBits]prob
	length, repLength             lengthCoder
	literals                      [maxLiterals][0x300]prob
}

// lengthCoder has three ranges of lengths: 8, 8 and 256 of them.
type lengthCoder struct {
	choice   [2]prob
	low, mid [posStates][8]prob
	high     [256]prob
}

// setProps takes the byte that holds lc, lp and pb.
func (l *lzma) setProps(b byte) bool {
	if b >= 9*5*5 {
		return false
	}
	l.lc, l.lp, l.pb = uint(b%9), uint(b/9%5), uint(b/45)
	return l.lc+l.lp <= 4
}

func (l *lzma) reset() {
	l.state, l.reps = 0, [4]uint32{}
	for i := range states {
		even(l.isMatch[i][:], l.isLongRep[i][:])
	}
	even(l.isRep[:], l.isRep0[:], l.isRep1[:], l.isRep2[:], l.special[:], l.align[:])
	for i := range l.slot {
		even(l.slot[i][:])
	}
	l.length.reset()
	l.repLength.reset()
	for i := range 1 << (l.lc + l.lp) {
		even(l.literals[i][:])
	}
}

func (c *lengthCoder) reset() {
	even(c.choice[:], c.high[:])
	for i := range posStates {
		even(c.low[i][:], c.mid[i][:])
	}
}

func even(tables ...[]prob) {
	for _, table := range tables {
		for i := range table {
			table[i] = evenProb
		}
	}
}

// decode appends to out until it is end bytes long. The dictionary is what out has from dict on.
func (l *lzma) decode(r *rangeDecoder, out []byte, dict, end int) ([]byte, bool) {
	for len(out) < end && !r.short {
		pos := (len(out) - dict) & (1<<l.pb - 1)
		if r.bit(&l.isMatch[l.state][pos]) == 0 {
			out = append(out, l.literal(r, out[dict:]))
			continue
		}
		length := l.match(r, pos)
		distance := int64(l.reps[0]) + 1
		if length > end-len(out) || distance > int64(len(out)-dict) {
			return nil, false
		}
		out = repeat(out, int(distance), length)
	}
	return out, !r.short
}

// repeat appends what stands distance bytes before the end, which may overlap with what is appended.
func repeat(out []byte, distance, length int) []byte {
	for length > 0 {
		n := min(length, distance)
		from := len(out) - distance
		out = append(out, out[from:from+n]...)
		length -= n
	}
	return out
}

// literal reads one byte. After a match the byte that the match would have gone on with is context too.
func (l *lzma) literal(r *rangeDecoder, dict []byte) byte {
	last := byte(0)
	if len(dict) > 0 {
		last = dict[len(dict)-1]
	}
	context := (len(dict)&(1<<l.lp-1))<<l.lc | int(last>>(8-l.lc))
	probs := &l.literals[context]
	symbol := uint32(1)
	if distance := int64(l.reps[0]) + 1; l.state >= literalStates && distance <= int64(len(dict)) {
		expected := uint32(dict[int64(len(dict))-distance])
		for symbol < 0x100 {
			wanted := expected >> 7 & 1
			expected <<= 1
			bit := r.bit(&probs[(1+wanted)<<8|symbol])
			symbol = symbol<<1 | bit
			if bit != wanted {
				break
			}
		}
	}
	for symbol < 0x100 {
		symbol = symbol<<1 | r.bit(&probs[symbol])
	}
	l.state = afterLiteral[l.state]
	return byte(symbol)
}

var afterLiteral = [states]int{0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 4, 5}

// match reads the length of a match and leaves its distance, less one, in reps[0].
func (l *lzma) match(r *rangeDecoder, pos int) (length int) {
	if r.bit(&l.isRep[l.state]) == 0 {
		length = l.length.read(r, pos)
		l.reps = [4]uint32{l.distance(r, length), l.reps[0], l.reps[1], l.reps[2]}
		l.enter(7, 10)
		return length
	}
	if r.bit(&l.isRep0[l.state]) == 0 {
		if r.bit(&l.isLongRep[l.state][pos]) == 0 {
			l.enter(9, 11)
			return 1
		}
	} else {
		l.recall(r)
	}
	length = l.repLength.read(r, pos)
	l.enter(8, 11)
	return length
}

func (l *lzma) enter(afterLiteral, afterMatch int) {
	if l.state < literalStates {
		l.state = afterLiteral
	} else {
		l.state = afterMatch
	}
}

// recall moves one of the three older distances to the front.
func (l *lzma) recall(r *rangeDecoder) {
	which := 1
	if r.bit(&l.isRep1[l.state]) != 0 {
		which = 2 + int(r.bit(&l.isRep2[l.state]))
	}
	distance := l.reps[which]
	copy(l.reps[1:which+1], l.reps[:which])
	l.reps[0] = distance
}

func (c *lengthCoder) read(r *rangeDecoder, pos int) int {
	if r.bit(&c.choice[0]) == 0 {
		return minMatch + int(r.tree(c.low[pos][:]))
	}
	if r.bit(&c.choice[1]) == 0 {
		return minMatch + 8 + int(r.tree(c.mid[pos][:]))
	}
	return minMatch + 16 + int(r.tree(c.high[:]))
}

// distance reads the distance of a new match, less one: a slot, which encodes its two highest bits and how many follow, and
// those bits.
func (l *lzma) distance(r *rangeDecoder, length int) uint32 {
	slot := r.tree(l.slot[min(length-minMatch, lengthStates-1)][:])
	if slot < 4 {
		return slot
	}
	bits := slot>>1 - 1
	distance := (2 | slot&1) << bits
	if slot < modelSlots {
		return distance + r.reverseTree(l.special[distance-slot:], bits)
	}
	distance += r.evenBits(bits-alignBits) << alignBits
	return distance + r.reverseTree(l.align[:], alignBits)
}
