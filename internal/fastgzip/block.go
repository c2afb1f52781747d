package fastgzip

// block is what one block needs beside its bytes; it is kept for the next.
type block struct {
	literalCounts  [literalSymbols]uint32
	distanceCounts [distanceSymbols]uint32
	literals       [literalSymbols]code
	distances      [distanceSymbols]code
}

// write writes b, which consists of these steps, with codes of its own.
func (k *block) write(w *bitWriter, b []byte, steps []step, final bool) {
	k.count(b, steps)
	huffman(k.literals[:], k.literalCounts[:], maxCodeBits)
	huffman(k.distances[:], k.distanceCounts[:], maxCodeBits)
	k.writeHeader(w, final)
	for i := range steps {
		s := &steps[i]
		w.literals(b[:s.literals], &k.literals)
		b = b[s.literals:]
		if s.length > 0 {
			k.writeMatch(w, s)
			b = b[s.length:]
		}
	}
	w.room(maxCodeBits / 8)
	w.write(uint64(k.literals[endOfBlock].bits), uint(k.literals[endOfBlock].length))
}

// count counts the symbols that occur.
func (k *block) count(b []byte, steps []step) {
	clear(k.literalCounts[:])
	clear(k.distanceCounts[:])
	k.literalCounts[endOfBlock] = 1
	for i := range steps {
		s := &steps[i]
		for _, c := range b[:s.literals] {
			k.literalCounts[c]++
		}
		b = b[s.literals:]
		if s.length > 0 {
			k.literalCounts[lengthClass(s.length).symbol]++
			k.distanceCounts[distanceClass(s.distance).symbol]++
			b = b[s.length:]
		}
	}
}

// writeMatch writes 48 bits at most: 15 and 5 for the length, 15 and 13 for the distance.
func (k *block) writeMatch(w *bitWriter, s *step) {
	length, distance := lengthClass(s.length), distanceClass(s.distance)
	c := k.literals[length.symbol]
	v, n := uint64(c.bits), uint(c.length)
	v |= uint64(s.length-length.first) << (n & 63)
	n += uint(length.extra)
	c = k.distances[distance.symbol]
	v |= uint64(c.bits) << (n & 63)
	n += uint(c.length)
	v |= uint64(s.distance-distance.first) << (n & 63)
	w.room(6)
	w.write(v, n+uint(distance.extra))
}

// lengthOrder is the order in which the code of the lengths is described (RFC 1951, 3.2.7).
var lengthOrder = [...]int{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

// Of the symbols that stand for a repetition, the code of the lengths has two here: so many zeros.
const (
	fewZeros   = 17 // 3 to 10
	manyZeros  = 18 // 11 to 138
	mostZeros  = 138
	headerRoom = 512 // more than any header has bytes
)

// writeHeader describes the block's codes by their lengths, which are themselves written in a code.
func (k *block) writeHeader(w *bitWriter, final bool) {
	var lengths [literalSymbols + distanceSymbols]uint8
	for i := range k.literals {
		lengths[i] = k.literals[i].length
	}
	for i := range k.distances {
		lengths[literalSymbols+i] = k.distances[i].length
	}
	var counts [len(lengthOrder)]uint32
	var codes [len(lengthOrder)]code
	eachRun(lengths[:], func(symbol, _ int) { counts[symbol]++ })
	huffman(codes[:], counts[:], maxLengthBits)
	w.room(headerRoom)
	writeSizes(w, final)
	for _, symbol := range lengthOrder {
		w.write(uint64(codes[symbol].length), 3)
	}
	eachRun(lengths[:], func(symbol, zeros int) {
		w.write(uint64(codes[symbol].bits), uint(codes[symbol].length))
		switch symbol {
		case fewZeros:
			w.write(uint64(zeros-3), 3)
		case manyZeros:
			w.write(uint64(zeros-11), 7)
		}
	})
}

// writeSizes says whether the block is the last, that it has codes of its own, and that their descriptions are complete.
func writeSizes(w *bitWriter, final bool) {
	const ownCodes = 2
	if final {
		w.write(1, 1)
	} else {
		w.write(0, 1)
	}
	w.write(ownCodes, 2)
	w.write(literalSymbols-257, 5)
	w.write(distanceSymbols-1, 5)
	w.write(uint64(len(lengthOrder)-4), 4)
}

// eachRun calls f for each symbol that describes the lengths: a length, or a run of zeros.
func eachRun(lengths []uint8, f func(symbol, zeros int)) {
	for i := 0; i < len(lengths); {
		run := 0
		for i+run < len(lengths) && run < mostZeros && lengths[i+run] == 0 {
			run++
		}
		switch {
		case run >= 11:
			f(manyZeros, run)
		case run >= 3:
			f(fewZeros, run)
		default:
			f(int(lengths[i]), 0)
			run = 1
		}
		i += run
	}
}
