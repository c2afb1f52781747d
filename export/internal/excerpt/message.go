package excerpt

import (
	"errors"

	"google.golang.org/protobuf/encoding/protowire"
)

// Fields of profile.proto.
const (
	profileSampleType        = 1
	profileSample            = 2
	profileMapping           = 3
	profileLocation          = 4
	profileFunction          = 5
	profileStringTable       = 6
	profileDropFrames        = 7
	profileKeepFrames        = 8
	profileDurationNanos     = 10
	profilePeriodType        = 11
	profileComment           = 13
	profileDefaultSampleType = 14
	profileDocURL            = 15

	valueTypeType = 1
	valueTypeUnit = 2

	sampleLocationID = 1
	sampleValue      = 2
	sampleLabel      = 3

	labelKey     = 1
	labelStr     = 2
	labelNumUnit = 4

	mappingID           = 1
	mappingFilename     = 5
	mappingBuildID      = 6
	mappingHasFunctions = 7

	anyID = 1 // of a location or a function

	locationMappingID = 2
	locationLine      = 4

	lineFunctionID = 1

	functionName       = 2
	functionSystemName = 3
	functionFilename   = 4
)

var errDamaged = errors.New("the profile is damaged")

// field is one field of a message: all its bytes, and its value, which is number for a varint.
type field struct {
	number protowire.Number
	whole  []byte
	bytes  []byte
	varint uint64
}

// cursor goes through the fields of a message.
//
//	for c := (cursor{rest: message}); c.next(); {
//		use(c.field)
//	}
type cursor struct {
	field
	rest    []byte
	damaged *bool // set to true if the message ends within a field; may be nil
}

func (c *cursor) next() bool {
	if len(c.rest) == 0 {
		return false
	}
	number, kind, n := protowire.ConsumeTag(c.rest)
	if n < 0 {
		return c.fail()
	}
	c.field = field{number: number}
	var length int
	switch kind {
	case protowire.VarintType:
		c.varint, length = protowire.ConsumeVarint(c.rest[n:])
	case protowire.BytesType:
		c.bytes, length = protowire.ConsumeBytes(c.rest[n:])
	default:
		length = protowire.ConsumeFieldValue(number, kind, c.rest[n:])
	}
	if length < 0 {
		return c.fail()
	}
	c.whole, c.rest = c.rest[:n+length], c.rest[n+length:]
	return true
}

func (c *cursor) fail() bool {
	if c.damaged != nil {
		*c.damaged = true
	}
	return false
}

// numbers appends the numbers of a field that is repeated, packed or single.
func (f *field) numbers(to []uint64, damaged *bool) []uint64 {
	if f.bytes == nil {
		return append(to, f.varint)
	}
	for packed := f.bytes; len(packed) > 0; {
		v, n := protowire.ConsumeVarint(packed)
		if n < 0 {
			*damaged = true
			return to
		}
		to, packed = append(to, v), packed[n:]
	}
	return to
}

// numberIn is the varint of a message's field, 0 if it is not there.
func numberIn(message []byte, number protowire.Number, damaged *bool) uint64 {
	for c := (cursor{rest: message, damaged: damaged}); c.next(); {
		if c.number == number {
			return c.varint
		}
	}
	return 0
}
