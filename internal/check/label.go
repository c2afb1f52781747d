package check

import (
	"cmp"
	"slices"
	"unicode/utf8"
)

func (c *checker) checkLabels(index int, s *sample) {
	texts := 0
	for i := range s.labels {
		l := &s.labels[i]
		key := c.text(l.key, "sample[%d].label[%d].key", index, i)
		c.text(l.unit, "sample[%d].label[%d].num_unit", index, i)
		if key == "" {
			c.found(labelKey, "sample[%d].label[%d]", index, i)
		}
		if (l.text != 0) == (l.number != 0 || l.unit != 0) {
			c.found(labelValue, "sample[%d].label[%d] %.40q", index, i, key)
		}
		if l.text != 0 {
			texts++
			c.checkText(l, key, index, i)
		}
	}
	if texts > pyroscopeLabels {
		c.found(labelCount, "sample[%d]", index)
	}
	c.checkRepeats(index, s)
}

// checkText checks a label with a text, of which Pyroscope makes a series.
func (c *checker) checkText(l *label, key string, sample, index int) {
	text := c.text(l.text, "sample[%d].label[%d].str", sample, index)
	if key != "" && !isLabelName(key) {
		c.found(labelName, "sample[%d].label[%d] %.40q", sample, index, key)
	}
	if len(key) > pyroscopeLabelName || len(text) > pyroscopeLabelValue {
		c.found(labelLength, "sample[%d].label[%d] %.40q", sample, index, key)
	}
	if key == "profile_id" || key == "span_id" || key == "trace_id" {
		return // Pyroscope makes no series of them
	}
	known := c.keys[l.key]
	if known == nil {
		known = &labelTexts{}
		c.keys[l.key] = known
	}
	if known.overflow(l.text) {
		c.found(labelCardinality, "sample[%d].label[%d] %.40q", sample, index, key)
	}
}

// labelTexts counts the different texts of a label, up to the limit.
type labelTexts struct {
	seen map[int64]bool
	over bool
}

// overflow reports whether this text is the first one too many.
func (t *labelTexts) overflow(text int64) bool {
	if t.over || t.seen[text] {
		return false
	}
	if t.seen == nil {
		t.seen = map[int64]bool{}
	}
	t.seen[text] = true
	if t.over = len(t.seen) > manyValuesOfOneLabel; t.over {
		t.seen = nil
	}
	return t.over
}

// checkRepeats changes the order of the labels.
func (c *checker) checkRepeats(index int, s *sample) {
	slices.SortFunc(s.labels, func(a, b label) int { return cmp.Compare(a.key, b.key) })
	for i := 1; i < len(s.labels); i++ {
		if s.labels[i].key == s.labels[i-1].key {
			c.found(labelTwice, "sample[%d], label %.40q", index, c.lookup(s.labels[i].key))
			return
		}
	}
}

// isLabelName: SanitizeLegacyLabelName in Pyroscope's pkg/validation/validate.go.
func isLabelName(key string) bool {
	for i, b := range []byte(key) {
		letter := 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z'
		digit := '0' <= b && b <= '9' && i > 0
		if !letter && !digit && b != '_' && b != '.' {
			return false
		}
	}
	return true
}

func (c *checker) checkStrings() {
	if len(c.strings) == 0 || len(c.strings[0]) > 0 {
		c.found(stringZero, "string_table[0]")
	}
	seen := make(map[string]struct{}, len(c.strings))
	for i, s := range c.strings {
		if !utf8.ValidString(s) {
			c.found(stringUTF8, "string_table[%d]", i)
		}
		if len(s) > pyroscopeSymbol {
			c.found(stringLength, "string_table[%d]", i)
		}
		if _, again := seen[s]; again {
			c.found(stringTwice, "string_table[%d]", i)
		}
		seen[s] = struct{}{}
	}
}

// text returns a string of the table. A missing string is a fault at the given position, and empty.
func (c *checker) text(index int64, where string, args ...any) string {
	if uint64(index) >= uint64(max(1, len(c.strings))) {
		c.found(stringReference, where, args...)
	}
	return c.lookup(index)
}

// lookup returns a string of the table, "" if it is missing.
func (c *checker) lookup(index int64) string {
	if uint64(index) >= uint64(len(c.strings)) {
		return ""
	}
	return c.strings[index]
}

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
