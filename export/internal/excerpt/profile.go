package excerpt

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
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

// mostBytes is the longest profile that is read, uncompressed.
const mostBytes = 1 << 30

var errDamaged = errors.New("the profile is damaged")

// Profile is a profile.proto of which excerpts can be written.
type Profile struct {
	fields      []field
	strings     [][]byte
	sampleTypes []uint64 // the names, as indices of strings
}

// field is one field of a message: all its bytes, and its value, which is number for a varint.
type field struct {
	number protowire.Number
	whole  []byte
	bytes  []byte
	varint uint64
}

// Read reads a gzipped profile.
func Read(gzipped []byte) (*Profile, error) {
	z, err := gzip.NewReader(bytes.NewReader(gzipped))
	if err != nil {
		return nil, fmt.Errorf("reading a profile: %w", err)
	}
	raw, err := io.ReadAll(io.LimitReader(z, mostBytes+1))
	if err != nil {
		return nil, fmt.Errorf("reading a profile: %w", err)
	}
	if len(raw) > mostBytes {
		return nil, errors.New("reading a profile: it is longer than 1 GiB")
	}
	p := &Profile{}
	if err := p.index(raw); err != nil {
		return nil, fmt.Errorf("reading a profile: %w", err)
	}
	return p, nil
}

func (p *Profile) index(raw []byte) (err error) {
	if p.fields, err = split(raw); err != nil {
		return err
	}
	for _, f := range p.fields {
		switch f.number {
		case profileStringTable:
			p.strings = append(p.strings, f.bytes)
		case profileSampleType:
			name, err := numberIn(f.bytes, valueTypeType)
			if err != nil {
				return err
			}
			p.sampleTypes = append(p.sampleTypes, name)
		}
	}
	return nil
}

// text is string i of the table, "" if there is none.
func (p *Profile) text(i uint64) string {
	if i >= uint64(len(p.strings)) {
		return ""
	}
	return string(p.strings[i])
}

// split finds the fields of a message.
func split(message []byte) ([]field, error) {
	var fields []field
	for len(message) > 0 {
		number, kind, head := protowire.ConsumeTag(message)
		if head < 0 {
			return nil, errDamaged
		}
		length := protowire.ConsumeFieldValue(number, kind, message[head:])
		if length < 0 {
			return nil, errDamaged
		}
		f := field{number: number, whole: message[:head+length]}
		switch kind {
		case protowire.VarintType:
			f.varint, _ = protowire.ConsumeVarint(message[head:])
		case protowire.BytesType:
			f.bytes, _ = protowire.ConsumeBytes(message[head:])
		}
		fields = append(fields, f)
		message = message[head+length:]
	}
	return fields, nil
}

// numberIn is the varint of a message's field, 0 if it is not there.
func numberIn(message []byte, number protowire.Number) (uint64, error) {
	fields, err := split(message)
	if err != nil {
		return 0, err
	}
	for _, f := range fields {
		if f.number == number {
			return f.varint, nil
		}
	}
	return 0, nil
}
