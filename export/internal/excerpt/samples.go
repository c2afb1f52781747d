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
	values []uint64
	packed []byte // of the sample that is being written
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
			s.values = c.numbers(s.values, &damaged)
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
		sums[j] += int64(s.values[c])
	}
}

// of returns the sums of sample i.
func (s *samples) of(i int) []int64 { return s.sums[i*len(s.columns) : (i+1)*len(s.columns)] }

// write appends the samples to a profile, in the order in which they came.
func (s *samples) write(out []byte) []byte {
	for i, key := range s.keys {
		out = s.appendSample(out, key, s.of(i))
	}
	return out
}

func (s *samples) appendSample(out []byte, key string, values []int64) []byte {
	s.packed = s.packed[:0]
	for _, v := range values {
		s.packed = protowire.AppendVarint(s.packed, uint64(v))
	}
	length := len(key) + protowire.SizeTag(sampleValue) + protowire.SizeBytes(len(s.packed))
	out = protowire.AppendTag(out, profileSample, protowire.BytesType)
	out = protowire.AppendVarint(out, uint64(length))
	out = append(out, key...)
	out = protowire.AppendTag(out, sampleValue, protowire.BytesType)
	return protowire.AppendBytes(out, s.packed)
}
