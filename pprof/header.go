package pprof

import (
	"fmt"
	"time"
)

// Header is the part of a profile that is known before its first sample.
type Header struct {
	Main        Mapping       // the main binary, always the first mapping; zero: not known, and there is no such mapping
	SampleBytes int64         // mean bytes between samples: the period
	Time        time.Time     // when the profile was taken
	Duration    time.Duration // the time that a delta covers; 0 for every other profile
	Comments    []string      // Comment adds more
	Columns     Columns       // the values that each sample has
	DefaultType string        // the type that viewers show first; "": inuse_space or, where that is not written, alloc_space
	Compression Compression
}

// Columns selects which of the four values of a sample are written.
type Columns int

// In each, blocks come before bytes and allocated before in use, as in Go's own heap profile.
const (
	AllColumns       Columns = iota // alloc_objects, alloc_space, inuse_objects, inuse_space
	InuseColumns                    // inuse_objects, inuse_space
	AllocatedColumns                // alloc_objects, alloc_space
)

type valueType struct{ name, unit string }

// allColumns are the types of value, one for each field of stack.Values, in the order in which writeValues writes them.
var allColumns = [...]valueType{
	{"alloc_objects", "count"}, {"alloc_space", "bytes"}, {"inuse_objects", "count"}, {"inuse_space", "bytes"},
}

// span returns the part of allColumns that is written.
func (c Columns) span() (from, to int, err error) {
	switch c {
	case AllColumns:
		return 0, len(allColumns), nil
	case InuseColumns:
		return 2, 4, nil
	case AllocatedColumns:
		return 0, 2, nil
	}
	return 0, 0, fmt.Errorf("there are no columns %d", c)
}

// defaultType returns the header's default type, or else the last column, which is the bytes in use wherever they are
// written.
func (h *Header) defaultType(columns []valueType) (string, error) {
	if h.DefaultType == "" {
		return columns[len(columns)-1].name, nil
	}
	for _, c := range columns {
		if c.name == h.DefaultType {
			return h.DefaultType, nil
		}
	}
	return "", fmt.Errorf("the default sample type %q is not one of the columns", h.DefaultType)
}

func (e *Encoder) writeHeader(h *Header, defaultType string) {
	e.text("") // the format demands that string 0 is empty
	e.bytes = e.text("bytes")
	e.mapping(h.Main, true)
	for _, c := range allColumns[e.from:e.to] {
		e.valueType(profileSampleType, c)
	}
	e.out.number(profileDefaultSampleType, e.text(defaultType))
	e.valueType(profilePeriodType, valueType{"space", "bytes"})
	e.out.number(profilePeriod, uint64(h.SampleBytes))
	if !h.Time.IsZero() {
		e.out.number(profileTimeNanos, uint64(h.Time.UnixNano()))
	}
	e.out.number(profileDurationNanos, uint64(h.Duration))
	for _, text := range h.Comments {
		e.Comment(text)
	}
}

func (e *Encoder) valueType(field int, t valueType) {
	name, unit := e.text(t.name), e.text(t.unit)
	start := e.out.begin(field)
	e.out.number(valueTypeType, name)
	e.out.number(valueTypeUnit, unit)
	e.out.end(start)
}
