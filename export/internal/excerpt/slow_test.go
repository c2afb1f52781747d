package excerpt

import (
	"slices"
	"testing"

	"github.com/google/pprof/profile"
)

// slow makes an excerpt with another reader.
func slow(t *testing.T, gzipped []byte, part Part) *profile.Profile {
	t.Helper()
	p := parse(t, gzipped)
	var types []*profile.ValueType
	for _, st := range p.SampleType {
		if part.Columns == nil || slices.Contains(part.Columns, st.Type) {
			types = append(types, st)
		}
	}
	for _, s := range p.Sample {
		var values []int64
		for i, st := range p.SampleType {
			if slices.Contains(types, st) {
				values = append(values, s.Value[i])
			}
		}
		s.Value = values
		for key := range s.Label {
			if !slices.Contains(part.Labels, key) {
				delete(s.Label, key)
			}
		}
		for key := range s.NumLabel {
			if !slices.Contains(part.Labels, key) {
				delete(s.NumLabel, key)
			}
		}
	}
	p.SampleType = types
	p.DefaultSampleType = types[len(types)-1].Type
	if !part.Duration {
		p.DurationNanos = 0
	}
	return p
}

type row struct{ stack, labels string }

// sums adds the values of samples that do not differ, leaving out samples without a value.
func sums(p *profile.Profile) map[row][]int64 {
	sums := map[row][]int64{}
	for _, s := range p.Sample {
		if !slices.ContainsFunc(s.Value, func(v int64) bool { return v != 0 }) {
			continue
		}
		var r row
		for _, l := range s.Location {
			r.stack += l.Line[0].Function.Name
		}
		for _, key := range []string{"heap", "bytes"} {
			for _, text := range s.Label[key] {
				r.labels += text
			}
			for _, number := range s.NumLabel[key] {
				r.labels += string(rune('0' + number))
			}
		}
		if sums[r] == nil {
			sums[r] = make([]int64, len(s.Value))
		}
		for i, v := range s.Value {
			sums[r][i] += v
		}
	}
	return sums
}

// head is the content of a profile besides samples.
func head(p *profile.Profile) []any {
	list := []any{p.TimeNanos, p.DurationNanos, p.Period, p.PeriodType.Type, p.DefaultSampleType, len(p.Mapping)}
	for _, st := range p.SampleType {
		list = append(list, st.Type, st.Unit)
	}
	return list
}
