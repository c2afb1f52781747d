package excerpt

import (
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

// samples collects the samples of an excerpt. Two are one if they have the same stack and, of the labels that stay, the
// same ones: the profiler writes equal ones in equal bytes.
type samples struct {
	profile *Profile
	columns []int
	labels  []string
	sums    map[string][]int64 // by the bytes of stack and labels
	order   []string
}

func newSamples(p *Profile, part Part) *samples {
	return &samples{profile: p, columns: p.columns(part.Columns), labels: part.Labels, sums: map[string][]int64{}}
}

// add adds a sample, unless all that would be left of its values is 0.
func (s *samples) add(sample []byte) error {
	fields, err := split(sample)
	if err != nil {
		return err
	}
	var key []byte
	var values []int64
	for _, f := range fields {
		switch f.number {
		case sampleLocationID:
			key = append(key, f.whole...)
		case sampleLabel:
			stays, err := s.stays(f.bytes)
			if err != nil {
				return err
			}
			if stays {
				key = append(key, f.whole...)
			}
		case sampleValue:
			if values, err = appendValues(values, f); err != nil {
				return err
			}
		}
	}
	return s.count(string(key), values)
}

func (s *samples) count(key string, values []int64) error {
	if len(values) != len(s.profile.sampleTypes) {
		return errDamaged
	}
	if !slices.ContainsFunc(s.columns, func(c int) bool { return values[c] != 0 }) {
		return nil
	}
	sums, known := s.sums[key]
	if !known {
		sums = make([]int64, len(s.columns))
		s.sums[key] = sums
		s.order = append(s.order, key)
	}
	for i, c := range s.columns {
		sums[i] += values[c]
	}
	return nil
}

func (s *samples) stays(label []byte) (bool, error) {
	if len(s.labels) == 0 {
		return false, nil
	}
	key, err := numberIn(label, labelKey)
	return slices.Contains(s.labels, s.profile.text(key)), err
}

// appendValues appends the values of a field, packed or single.
func appendValues(values []int64, f field) ([]int64, error) {
	if f.bytes == nil {
		return append(values, int64(f.varint)), nil
	}
	for packed := f.bytes; len(packed) > 0; {
		v, n := protowire.ConsumeVarint(packed)
		if n < 0 {
			return nil, errDamaged
		}
		values, packed = append(values, int64(v)), packed[n:]
	}
	return values, nil
}

// write appends the samples to a profile, in the order in which they came.
func (s *samples) write(out []byte) []byte {
	var message, packed []byte
	for _, key := range s.order {
		packed = packed[:0]
		for _, v := range s.sums[key] {
			packed = protowire.AppendVarint(packed, uint64(v))
		}
		message = append(message[:0], key...)
		message = protowire.AppendTag(message, sampleValue, protowire.BytesType)
		message = protowire.AppendBytes(message, packed)
		out = protowire.AppendTag(out, profileSample, protowire.BytesType)
		out = protowire.AppendBytes(out, message)
	}
	return out
}
