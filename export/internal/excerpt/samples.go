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

	index map[string]int // of the bytes of stack and labels, in keys
	keys  []string
	sums  []int64 // the sums of the columns for each key

	key    []byte // of the sample that is being added
	values []int64
}

func newSamples(p *Profile, part Part) *samples {
	return &samples{profile: p, columns: p.columns(part.Columns), labels: part.Labels, index: map[string]int{}}
}

// add adds a sample, unless all that would be left of its values is 0.
func (s *samples) add(sample []byte) error {
	s.key, s.values = s.key[:0], s.values[:0]
	damaged := false
	for c := (cursor{rest: sample, damaged: &damaged}); c.next(); {
		switch c.number {
		case sampleLocationID:
			s.key = append(s.key, c.whole...)
		case sampleLabel:
			if len(s.labels) > 0 && slices.Contains(s.labels, s.profile.text(numberIn(c.bytes, labelKey, &damaged))) {
				s.key = append(s.key, c.whole...)
			}
		case sampleValue:
			s.addValues(c.field, &damaged)
		}
	}
	if damaged || len(s.values) != len(s.profile.sampleTypes) {
		return errDamaged
	}
	if slices.ContainsFunc(s.columns, func(c int) bool { return s.values[c] != 0 }) {
		s.count()
	}
	return nil
}

// addValues takes the values of a field, packed or single.
func (s *samples) addValues(f field, damaged *bool) {
	if f.bytes == nil {
		s.values = append(s.values, int64(f.varint))
		return
	}
	for packed := f.bytes; len(packed) > 0; {
		v, n := protowire.ConsumeVarint(packed)
		if n < 0 {
			*damaged = true
			return
		}
		s.values, packed = append(s.values, int64(v)), packed[n:]
	}
}

func (s *samples) count() {
	i, known := s.index[string(s.key)]
	if !known {
		i = len(s.keys)
		s.keys = append(s.keys, string(s.key))
		s.index[s.keys[i]] = i
		s.sums = append(s.sums, make([]int64, len(s.columns))...)
	}
	sums := s.sums[i*len(s.columns):]
	for j, c := range s.columns {
		sums[j] += s.values[c]
	}
}

// write appends the samples to a profile, in the order in which they came.
func (s *samples) write(out []byte) []byte {
	var packed []byte
	for i, key := range s.keys {
		packed = packed[:0]
		for _, v := range s.sums[i*len(s.columns) : (i+1)*len(s.columns)] {
			packed = protowire.AppendVarint(packed, uint64(v))
		}
		length := len(key) + protowire.SizeTag(sampleValue) + protowire.SizeBytes(len(packed))
		out = protowire.AppendTag(out, profileSample, protowire.BytesType)
		out = protowire.AppendVarint(out, uint64(length))
		out = append(out, key...)
		out = protowire.AppendTag(out, sampleValue, protowire.BytesType)
		out = protowire.AppendBytes(out, packed)
	}
	return out
}
