package fastgzip

import (
	"encoding/binary"
	"slices"
)

// bitWriter gathers bits, lowest first, as deflate has them. Up to 7 of them are not in buf yet. Whoever writes has made
// room before: eight bytes are stored at a time, whether they count or not.
type bitWriter struct {
	buf   []byte
	bits  uint64
	count uint
}

// room makes sure that n more bytes can be written.
func (w *bitWriter) room(n int) { w.buf = slices.Grow(w.buf, n+8) }

// write appends the low n bits of v, of which the rest are 0; n is at most 56.
func (w *bitWriter) write(v uint64, n uint) {
	w.store(w.bits|v<<(w.count&7), w.count+n)
}

// store makes the low n bits of v all that is pending, and moves the whole bytes among them to buf.
func (w *bitWriter) store(v uint64, n uint) {
	end := len(w.buf)
	binary.LittleEndian.PutUint64(w.buf[end:end+8:cap(w.buf)], v)
	w.buf = w.buf[:end+int(n>>3)]
	w.bits = v >> (n &^ 7 & 63)
	w.count = n & 7
}

// literals writes the code of each byte of b, three at a time: 7 pending bits and 45 of theirs fit in a word.
func (w *bitWriter) literals(b []byte, codes *[literalSymbols]code) {
	w.room(2 * len(b))
	for len(b) > 0 {
		v, n := w.bits, w.count
		taken := min(3, len(b))
		for _, c := range b[:taken] {
			v |= uint64(codes[c].bits) << (n & 63)
			n += uint(codes[c].length)
		}
		w.store(v, n)
		b = b[taken:]
	}
}

// align fills up the last byte with zeros.
func (w *bitWriter) align() {
	if w.count > 0 {
		w.room(1)
		w.write(0, 8-w.count)
	}
}
