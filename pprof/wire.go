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

// tag appends the tag of a field, one byte: all field numbers of this format are below 16.
func (w *wire) tag(field, kind int) {
	*w = append(*w, byte(field<<3|kind))
}

// number appends a varint field; 0, the default of every numeric field, is left out.
func (w *wire) number(field int, v uint64) {
	if v == 0 {
		return
	}
	w.tag(field, kindVarint)
	*w = appendVarint(*w, v)
}

// flag appends a bool field, unless it is false.
func (w *wire) flag(field int, v bool) {
	if v {
		w.number(field, 1)
	}
}

// text appends a string field, even an empty one: it takes a number in the table of strings.
func (w *wire) text(field int, s string) {
	w.tag(field, kindBytes)
	*w = binary.AppendUvarint(*w, uint64(len(s)))
	*w = append(*w, s...)
}

// appendVarint is binary.AppendUvarint, faster for numbers of one and two bytes, which are nearly all.
func appendVarint(b []byte, v uint64) []byte {
	switch {
	case v < 1<<7:
		return append(b, byte(v))
	case v < 1<<14:
		return append(b, byte(v)|0x80, byte(v>>7))
	}
	return binary.AppendUvarint(b, v)
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
	if length < 0x80 {
		(*w)[start-1] = byte(length)
		return
	}
	var room [binary.MaxVarintLen64]byte
	extra := varintSize(uint64(length)) - 1
	*w = append(*w, room[:extra]...)
	b := *w
	copy(b[start+extra:], b[start:start+length])
	binary.PutUvarint(b[start-1:], uint64(length))
}

// varintSize returns the number of bytes that v takes as a varint: 7 bits in each, and one byte for 0.
func varintSize(v uint64) int {
	return (bits.Len64(v|1) + 6) / 7
}

// Field numbers of https://github.com/google/pprof/blob/main/proto/profile.proto, only those that are written here.
const (
	profileSampleType        = 1
	profileSample            = 2
	profileMapping           = 3
	profileLocation          = 4
	profileFunction          = 5
	profileStringTable       = 6
	profileTimeNanos         = 9
	profileDurationNanos     = 10
	profilePeriodType        = 11
	profilePeriod            = 12
	profileComment           = 13
	profileDefaultSampleType = 14

	valueTypeType = 1
	valueTypeUnit = 2

	sampleLocationID = 1
	sampleValue      = 2
	sampleLabel      = 3

	labelKey     = 1
	labelStr     = 2
	labelNum     = 3
	labelNumUnit = 4

	mappingID              = 1
	mappingMemoryStart     = 2
	mappingMemoryLimit     = 3
	mappingFileOffset      = 4
	mappingFilename        = 5
	mappingBuildID         = 6
	mappingHasFunctions    = 7
	mappingHasFilenames    = 8
	mappingHasLineNumbers  = 9
	mappingHasInlineFrames = 10

	locationID        = 1
	locationMappingID = 2
	locationAddress   = 3
	locationLine      = 4

	lineFunctionID = 1
	lineLine       = 2
	lineColumn     = 3

	functionID         = 1
	functionName       = 2
	functionSystemName = 3
	functionFilename   = 4
	functionStartLine  = 5
)
