package excerpt

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
)

// mostBytes is the longest profile that is read, uncompressed.
const mostBytes = 1 << 30

// Profile is a profile.proto of which excerpts can be written.
type Profile struct {
	raw         []byte
	strings     [][]byte
	sampleTypes []sampleType
}

// sampleType is one of a profile's: the whole field, and its name as an index of strings.
type sampleType struct {
	whole []byte
	name  uint64
}

// Read reads a gzipped profile.
func Read(gzipped []byte) (*Profile, error) {
	raw, err := uncompress(gzipped)
	if err != nil {
		return nil, fmt.Errorf("reading a profile: %w", err)
	}
	p := &Profile{raw: raw}
	damaged := false
	for c := (cursor{rest: raw, damaged: &damaged}); c.next(); {
		switch c.number {
		case profileStringTable:
			p.strings = append(p.strings, c.bytes)
		case profileSampleType:
			p.sampleTypes = append(p.sampleTypes, sampleType{c.whole, numberIn(c.bytes, valueTypeType, &damaged)})
		}
	}
	if damaged {
		return nil, fmt.Errorf("reading a profile: %w", errDamaged)
	}
	return p, nil
}

func uncompress(gzipped []byte) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(gzipped))
	if err != nil {
		return nil, err
	}
	var raw bytes.Buffer
	raw.Grow(likelyLength(gzipped))
	if _, err := raw.ReadFrom(io.LimitReader(z, mostBytes+1)); err != nil {
		return nil, err
	}
	if raw.Len() > mostBytes {
		return nil, errors.New("it is longer than 1 GiB")
	}
	return raw.Bytes(), nil
}

// likelyLength is how long the content of a gzip stream claims to be, unless that is beyond what gzip can do, and as much
// more as a buffer wants before it believes that it has come to the end.
func likelyLength(gzipped []byte) int {
	if len(gzipped) < 4 {
		return 0
	}
	claimed := int(binary.LittleEndian.Uint32(gzipped[len(gzipped)-4:]))
	return min(claimed, 1000*len(gzipped)) + bytes.MinRead
}

// text is string i of the table, "" if there is none.
func (p *Profile) text(i uint64) string {
	if i >= uint64(len(p.strings)) {
		return ""
	}
	return string(p.strings[i])
}

// Module is a file that is loaded in the process.
type Module struct {
	File, BuildID string
}

// Unnamed returns the files in which a location could not be named: the files of mappings that have locations and are not
// marked as having functions, and that have a build ID.
func (p *Profile) Unnamed() ([]Module, error) {
	damaged := false
	used := map[uint64]bool{}
	for c := (cursor{rest: p.raw}); c.next(); {
		if c.number == profileLocation {
			used[numberIn(c.bytes, locationMappingID, &damaged)] = true
		}
	}
	var modules []Module
	for c := (cursor{rest: p.raw}); c.next(); {
		if c.number != profileMapping {
			continue
		}
		m := p.mapping(c.bytes, &damaged)
		if used[m.id] && !m.named && m.BuildID != "" {
			modules = append(modules, m.Module)
		}
	}
	if damaged {
		return nil, fmt.Errorf("looking for files without names: %w", errDamaged)
	}
	return modules, nil
}

type mapping struct {
	Module
	id    uint64
	named bool // it is marked as having functions
}

func (p *Profile) mapping(message []byte, damaged *bool) (m mapping) {
	for c := (cursor{rest: message, damaged: damaged}); c.next(); {
		switch c.number {
		case mappingID:
			m.id = c.varint
		case mappingFilename:
			m.File = p.text(c.varint)
		case mappingBuildID:
			m.BuildID = p.text(c.varint)
		case mappingHasFunctions:
			m.named = c.varint != 0
		}
	}
	return m
}
