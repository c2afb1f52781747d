package pprof

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/cgoheap/cgoheap/stack"
)

// Header is what is known of a profile before its first sample.
type Header struct {
	Main        Mapping       // the main binary, always the first mapping; zero: not known, and no mapping is made of it
	SampleBytes int64         // mean bytes between samples: the period
	Time        time.Time     // when the profile was taken
	Duration    time.Duration // the time that a delta covers; 0 for every other profile
	Comments    []string      // Comment adds more
}

// Encoder writes one profile. It must be closed, and is not for use by several goroutines at once.
type Encoder struct {
	out  wire
	sink *sink
	err  error // the first error of the writer, or errClosed; nothing is written once it is set

	texts      map[string]uint64
	textCount  uint64
	functions  map[functionKey]uint64
	locations  map[locationKey]LocationID
	mappingIDs map[mappingKey]uint64
	mappings   []mappingEntry

	lineFunctions []uint64 // of the location being written
	bytesText     uint64   // the string "bytes": key and unit of the label
}

var (
	errClosed          = errors.New("the profile is closed")
	errUnknownLocation = errors.New("a stack holds a location of another profile")
)

// NewEncoder begins a gzipped profile on w. An error of w is returned by the next Sample and by Close.
func NewEncoder(w io.Writer, h Header) *Encoder {
	e := &Encoder{
		sink:       newSink(w),
		texts:      map[string]uint64{},
		functions:  map[functionKey]uint64{},
		locations:  map[locationKey]LocationID{},
		mappingIDs: map[mappingKey]uint64{},
	}
	e.writeHeader(h)
	return e
}

func (e *Encoder) writeHeader(h Header) {
	e.text("") // the format demands that string 0 is empty
	e.bytesText = e.text("bytes")
	e.mapping(h.Main, true)
	e.valueType(profileSampleType, "alloc_objects", "count")
	e.valueType(profileSampleType, "alloc_space", "bytes")
	e.valueType(profileSampleType, "inuse_objects", "count")
	e.valueType(profileSampleType, "inuse_space", "bytes")
	e.out.number(profileDefaultSampleType, e.text("inuse_space"))
	e.valueType(profilePeriodType, "space", "bytes")
	e.out.number(profilePeriod, uint64(h.SampleBytes))
	if !h.Time.IsZero() {
		e.out.number(profileTimeNanos, uint64(h.Time.UnixNano()))
	}
	e.out.number(profileDurationNanos, uint64(h.Duration))
	for _, text := range h.Comments {
		e.Comment(text)
	}
}

func (e *Encoder) valueType(field int, kind, unit string) {
	k, u := e.text(kind), e.text(unit)
	start := e.out.begin(field)
	e.out.number(valueTypeType, k)
	e.out.number(valueTypeUnit, u)
	e.out.end(start)
}

// Sample writes one weighted stack, leaf first, of locations of this encoder. A block size that is negative, as
// stack.MixedSizes is, puts no label on it. An error of the writer is final; a stack with a location of another
// encoder is left out, and the profile may go on.
func (e *Encoder) Sample(frames []LocationID, v stack.Values, blockSize int64) error {
	if e.err != nil {
		return e.err
	}
	for _, id := range frames {
		if id == 0 || id > LocationID(len(e.locations)) {
			return errUnknownLocation
		}
	}
	start := e.out.begin(profileSample)
	packed(&e.out, sampleLocationID, frames)
	values := [...]int64{v.AllocObjects, v.AllocBytes, v.InuseObjects, v.InuseBytes}
	packed(&e.out, sampleValue, values[:])
	if blockSize >= 0 {
		e.writeBytesLabel(blockSize)
	}
	e.out.end(start)
	e.flushFull()
	return e.err
}

func (e *Encoder) writeBytesLabel(blockSize int64) {
	start := e.out.begin(sampleLabel)
	e.out.number(labelKey, e.bytesText)
	e.out.number(labelNum, uint64(blockSize))
	e.out.number(labelNumUnit, e.bytesText)
	e.out.end(start)
}

// Comment adds a line for the person who reads the profile.
func (e *Encoder) Comment(text string) {
	if e.err != nil {
		return
	}
	e.out.number(profileComment, e.text(text))
	e.flushFull()
}

// Close writes the rest of the profile and returns the first error of the writer, each time it is called. It does not
// close the writer.
func (e *Encoder) Close() error {
	if errors.Is(e.err, errClosed) {
		return nil
	}
	if e.err == nil {
		e.writeMappings()
		e.flush()
	}
	if e.err == nil {
		e.fail(e.sink.close())
	}
	if e.err != nil {
		return e.err
	}
	e.err = errClosed
	return nil
}

func (e *Encoder) flushFull() {
	if len(e.out) >= flushBytes {
		e.flush()
	}
}

func (e *Encoder) flush() {
	e.fail(e.sink.write(e.out))
	e.out = e.out[:0]
}

func (e *Encoder) fail(err error) {
	if err != nil {
		e.err = fmt.Errorf("writing a profile: %w", err)
	}
}
