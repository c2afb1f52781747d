package pprof

import (
	"slices"

	"github.com/cgoheap/cgoheap/stack"
)

// Sample writes the values and labels of s with one stack, leaf first, of locations of this encoder; it does not look at
// s.Frames. The block size is the numeric label `bytes`, unless it is negative, as stack.MixedSizes is. An error of the
// writer is final; a stack with a location of another encoder is left out, and the profile may go on.
func (e *Encoder) Sample(frames []LocationID, s *stack.Sample) error {
	if e.err != nil {
		return e.err
	}
	for _, id := range frames {
		if id == 0 || id > LocationID(len(e.locations)) {
			return errUnknownLocation
		}
	}
	e.writeLabelTexts(s.Labels)
	start := e.out.begin(profileSample)
	packed(&e.out, sampleLocationID, frames)
	values := [...]int64{s.AllocObjects, s.AllocBytes, s.InuseObjects, s.InuseBytes}
	packed(&e.out, sampleValue, values[e.from:e.to])
	e.writeLabels(s)
	e.out.end(start)
	e.flushFull()
	return e.err
}

// writeLabelTexts writes the strings of labels that are new: they are fields beside the sample.
func (e *Encoder) writeLabelTexts(labels []stack.Label) {
	for i := range labels {
		e.text(labels[i].Key)
		e.text(labels[i].Text)
		e.text(labels[i].Unit)
	}
}

// writeLabels writes each label once: keys that differ only in bytes that are not UTF-8 are the same, and so is the key
// of the block size. A label without a key says nothing, and one with neither text nor unit cannot be told from a
// number 0; both are left out.
func (e *Encoder) writeLabels(s *stack.Sample) {
	e.labelKeys = e.labelKeys[:0]
	if s.BlockSize >= 0 {
		e.writeNumber(e.bytesText, s.BlockSize, e.bytesText)
	}
	for i := range s.Labels {
		l := &s.Labels[i]
		key := e.text(l.Key)
		switch {
		case l.Key == "":
		case l.Unit != "":
			e.writeNumber(key, l.Number, e.text(l.Unit))
		case l.Text != "":
			e.writeText(key, e.text(l.Text))
		}
	}
}

func (e *Encoder) writeNumber(key uint64, number int64, unit uint64) {
	if e.isRepeated(key) {
		return
	}
	start := e.out.begin(sampleLabel)
	e.out.number(labelKey, key)
	e.out.number(labelNum, uint64(number))
	e.out.number(labelNumUnit, unit)
	e.out.end(start)
}

func (e *Encoder) writeText(key, text uint64) {
	if e.isRepeated(key) {
		return
	}
	start := e.out.begin(sampleLabel)
	e.out.number(labelKey, key)
	e.out.number(labelStr, text)
	e.out.end(start)
}

// isRepeated notes key, and reports whether the sample that is being written has a label with it.
func (e *Encoder) isRepeated(key uint64) bool {
	if slices.Contains(e.labelKeys, key) {
		return true
	}
	e.labelKeys = append(e.labelKeys, key)
	return false
}
