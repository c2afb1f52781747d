package excerpt

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/klauspost/compress/gzip"
	"google.golang.org/protobuf/encoding/protowire"
)

// Part says what of a profile an excerpt has.
type Part struct {
	Columns  []string // names of sample types, in the order of the profile; nil for all
	Duration bool     // it stays; without it, it is 0
	Labels   []string // keys of the sample labels that stay
}

// Write makes a gzipped profile of a part. It is nil if that has no sample.
func (p *Profile) Write(part Part) ([]byte, error) {
	s := newSamples(p, part)
	var out []byte
	for _, f := range p.fields {
		switch f.number {
		case profileSample:
			if err := s.add(f.bytes); err != nil {
				return nil, fmt.Errorf("excerpt of a profile: %w", err)
			}
		case profileSampleType, profileDefaultSampleType:
		case profileDurationNanos:
			if part.Duration {
				out = append(out, f.whole...)
			}
		default:
			out = append(out, f.whole...)
		}
	}
	if out = s.write(p.writeTypes(out, s.columns)); len(s.order) == 0 {
		return nil, nil
	}
	return compress(out)
}

// columns are the indices of the sample types of these names.
func (p *Profile) columns(names []string) (indices []int) {
	for i, name := range p.sampleTypes {
		if names == nil || slices.Contains(names, p.text(name)) {
			indices = append(indices, i)
		}
	}
	return indices
}

// writeTypes writes the sample types of the columns, of which viewers show the last one first.
func (p *Profile) writeTypes(out []byte, columns []int) []byte {
	i := 0
	for _, f := range p.fields {
		if f.number != profileSampleType {
			continue
		}
		if slices.Contains(columns, i) {
			out = append(out, f.whole...)
		}
		i++
	}
	if len(columns) > 0 {
		out = protowire.AppendTag(out, profileDefaultSampleType, protowire.VarintType)
		out = protowire.AppendVarint(out, p.sampleTypes[columns[len(columns)-1]])
	}
	return out
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
