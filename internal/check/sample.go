package check

import "slices"

// sample is reused for each sample.
type sample struct {
	locations []uint64
	values    []int64
	labels    []label
}

type label struct{ key, text, number, unit int64 }

// eachSample reads the samples one after another. A visited sample is valid until the next.
func (d *decoder) eachSample(message []byte, visit func(index int, s *sample)) (count int) {
	var s sample
	d.each(message, func(f field) {
		if f.number != 2 {
			return
		}
		s = sample{s.locations[:0], s.values[:0], s.labels[:0]}
		d.each(d.content(f), func(f field) {
			switch f.number {
			case 1:
				d.numbers(f, func(v uint64) { s.locations = append(s.locations, v) })
			case 2:
				d.numbers(f, func(v uint64) { s.values = append(s.values, int64(v)) })
			case 3:
				s.labels = append(s.labels, d.label(f))
			}
		})
		if d.err == nil {
			visit(count, &s)
			count++
		}
	})
	return count
}

func (d *decoder) label(f field) (l label) {
	d.each(d.content(f), func(f field) {
		switch f.number {
		case 1:
			l.key = d.index(f)
		case 2:
			l.text = d.index(f)
		case 3:
			l.number = int64(d.number(f))
		case 4:
			l.unit = d.index(f)
		}
	})
	return l
}

func (c *checker) checkSample(index int, s *sample) {
	if len(s.values) != len(c.sampleTypes) {
		c.found(valueCount, "sample[%d]", index)
	}
	if slices.ContainsFunc(s.values, func(v int64) bool { return v < 0 }) {
		c.found(valueNegative, "sample[%d]", index)
	}
	if len(s.values) > 0 && !slices.ContainsFunc(s.values, func(v int64) bool { return v != 0 }) {
		c.found(valueZero, "sample[%d]", index)
	}
	if len(s.locations) == 0 {
		c.found(stackEmpty, "sample[%d]", index)
	}
	if len(s.locations) > pyroscopeDepth {
		c.found(stackDepth, "sample[%d]", index)
	}
	for i, id := range s.locations {
		if _, ok := c.locationIDs.index(id); !ok || id == 0 {
			c.found(locationReference, "sample[%d].location_id[%d]", index, i)
		}
	}
}
