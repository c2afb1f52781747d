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
	profileStringTable       = 6
	profileDurationNanos     = 10
	profileDefaultSampleType = 14

	valueTypeType = 1

	sampleLocationID = 1
	sampleValue      = 2
	sampleLabel      = 3

	labelKey = 1

	mappingID           = 1
	mappingFilename     = 5
	mappingBuildID      = 6
	mappingHasFunctions = 7

	locationMappingID = 2
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

// numberIn is the varint of a message's field, 0 if it is not there.
func numberIn(message []byte, number protowire.Number, damaged *bool) uint64 {
	for c := (cursor{rest: message, damaged: damaged}); c.next(); {
		if c.number == number {
			return c.varint
		}
	}
	return 0
}
