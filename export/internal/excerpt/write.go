package excerpt

import (
	"bytes"
	"fmt"
	"math"
	"slices"

	"github.com/klauspost/compress/gzip"
	"google.golang.org/protobuf/encoding/protowire"
)

// Part is what an excerpt keeps of a profile.
type Part struct {
	Columns  []string // names of sample types, in the order of the profile; nil for all
	Duration bool     // keep it; otherwise it becomes 0
	Labels   []string // keys of the sample labels to keep

	// Bounds of the excerpt, in samples and in bytes before compression; 0 is no bound. Beyond them it keeps the samples with
	// the most in the last column, and adds the others up in one sample called "other".
	MaxSamples int
	MaxBytes   int64
}

// admits reports whether an excerpt is within the bounds.
func (p *Part) admits(samples, bytes int) bool {
	return (p.MaxSamples == 0 || samples <= p.MaxSamples) && (p.MaxBytes == 0 || int64(bytes) <= p.MaxBytes)
}

// Write makes a gzipped profile of a part. It is nil if that has no sample. Bounds too small for any profile are an error.
func (p *Profile) Write(part Part) ([]byte, error) {
	s := newSamples(p, part)
	out := make([]byte, 0, len(p.raw))
	for c := (cursor{rest: p.raw}); c.next(); {
		switch c.number {
		case profileSample:
			if err := s.add(c.bytes); err != nil {
				return nil, fmt.Errorf("excerpt of a profile: %w", err)
			}
		case profileSampleType, profileDefaultSampleType:
		case profileDurationNanos:
			if part.Duration {
				out = append(out, c.whole...)
			}
		default:
			out = append(out, c.whole...)
		}
	}
	if len(s.keys) == 0 {
		return nil, nil
	}
	if out = s.write(p.writeTypes(out, s.columns)); !part.admits(len(s.keys), len(out)) {
		var err error
		if out, err = p.cut(&part, s); err != nil {
			return nil, fmt.Errorf("excerpt of a profile: %w", err)
		}
	}
	return compress(out)
}

// columns returns the indices of the sample types with these names.
func (p *Profile) columns(names []string) (indices []int) {
	for i, t := range p.sampleTypes {
		if names == nil || slices.Contains(names, p.text(t.name)) {
			indices = append(indices, i)
		}
	}
	return indices
}

// writeTypes writes the sample types of the columns, of which viewers show the last one first.
func (p *Profile) writeTypes(out []byte, columns []int) []byte {
	for _, c := range columns {
		out = append(out, p.sampleTypes[c].whole...)
	}
	out = protowire.AppendTag(out, profileDefaultSampleType, protowire.VarintType)
	return protowire.AppendVarint(out, p.sampleTypes[columns[len(columns)-1]].name)
}

func compress(raw []byte) ([]byte, error) {
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestSpeed)
	if err != nil {
		return nil, err
	}
	if _, err := z.Write(raw); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return bytes.Clone(out.Bytes()), nil // it waits in a queue, and the buffer may be twice as long
}

// rest is the sum of the samples that an excerpt has no room for.
type rest struct {
	samples int
	values  []int64
}

// longestRest returns how long the rest of so many samples can be.
func longestRest(p *Profile, s *samples, u *used, samples int) int {
	longest := slices.Repeat([]int64{math.MinInt64}, len(s.columns)) // ten bytes each
	return len((&rest{samples, longest}).write(nil, p, u))
}

// write appends a sample in the main binary's function "other", and the comment that a profile of the profiler has of it.
func (r *rest) write(out []byte, p *Profile, u *used) []byte {
	other, comment := uint64(len(p.strings)), uint64(len(p.strings))+1
	out = appendBytes(out, profileStringTable, []byte("other"))
	out = appendBytes(out, profileStringTable, fmt.Appendf(nil,
		"cgoheap: other: %s beyond the bound of the profile, added up", count(r.samples)))
	out = appendNumber(out, profileComment, comment)
	function := appendNumber(nil, anyID, u.lastFunction+1)
	function = appendNumber(appendNumber(function, functionName, other), functionSystemName, other)
	out = appendBytes(out, profileFunction, function)
	location := appendNumber(nil, anyID, u.lastLocation+1)
	if u.mapping != 0 {
		location = appendNumber(location, locationMappingID, u.mapping)
	}
	location = appendBytes(location, locationLine, appendNumber(nil, lineFunctionID, u.lastFunction+1))
	out = appendBytes(out, profileLocation, location)
	return new(samples).appendSample(out, string(appendNumber(nil, sampleLocationID, u.lastLocation+1)), r.values)
}

func count(samples int) string {
	if samples == 1 {
		return "1 sample"
	}
	return fmt.Sprint(samples, " samples")
}

func appendNumber(out []byte, number protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(out, number, protowire.VarintType), v)
}

func appendBytes(out []byte, number protowire.Number, v []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(out, number, protowire.BytesType), v)
}
