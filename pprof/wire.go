package pprof

import (
	"encoding/binary"
	"math/bits"
)

// wire is a buffer of protobuf's wire format (https://protobuf.dev/programming-guides/encoding): each field is a tag,
// number<<3 | kind, and then a varint or a length and that many bytes.
type wire []byte

const (
	kindVarint = 0
	kindBytes  = 2
)

func (w *wire) tag(field, kind int) {
	*w = binary.AppendUvarint(*w, uint64(field)<<3|uint64(kind))
}

// number appends a varint field; 0, the default of every numeric field, is left out.
func (w *wire) number(field int, v uint64) {
	if v == 0 {
		return
	}
	w.tag(field, kindVarint)
	*w = binary.AppendUvarint(*w, v)
}

// flag appends a bool field, unless it is false.
func (w *wire) flag(field int, v bool) {
	if v {
		w.number(field, 1)
	}
}

// text appends a string field, the empty string too: in a table of strings it takes up a place.
func (w *wire) text(field int, s string) {
	w.tag(field, kindBytes)
	*w = binary.AppendUvarint(*w, uint64(len(s)))
	*w = append(*w, s...)
}

// packed appends a repeated varint field as one run of bytes.
func packed[T ~uint64 | ~int64](w *wire, field int, values []T) {
	if len(values) == 0 {
		return
	}
	start := w.begin(field)
	b := *w
	for _, v := range values {
		b = binary.AppendUvarint(b, uint64(v))
	}
	*w = b
	w.end(start)
}

// begin opens an embedded message; end with the position that it returns closes it.
func (w *wire) begin(field int) (start int) {
	w.tag(field, kindBytes)
	*w = append(*w, 0)
	return len(*w)
}

// end fills in the length of the message that was begun at start. begin left one byte for it, which is enough for 127;
// the content of a longer message moves up.
func (w *wire) end(start int) {
	length := len(*w) - start
	var room [binary.MaxVarintLen64]byte
	extra := varintSize(uint64(length)) - 1
	*w = append(*w, room[:extra]...)
	b := *w
	copy(b[start+extra:], b[start:start+length])
	binary.PutUvarint(b[start-1:], uint64(length))
}

// varintSize is the number of bytes that v takes up as a varint: 7 bits in each, and one byte for 0.
func varintSize(v uint64) int {
	return (bits.Len64(v|1) + 6) / 7
}
