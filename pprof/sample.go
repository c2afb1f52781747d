package pprof

import (
	"slices"

	"github.com/cgoheap/cgoheap/stack"
)

// Sample writes the values and labels of s with a stack of this encoder's locations, leaf first; it ignores s.Frames. The
// block size becomes the numeric label `bytes`, unless it is negative, as stack.MixedSizes is. An error of the writer is
// final. A stack with a location of another encoder is an error too, but is only left out; the profile may go on.
func (e *Encoder) Sample(frames []LocationID, s *stack.Sample) error {
	if e.err != nil {
		return e.err
	}
	e.writeLabelTexts(s.Labels)
	before := len(e.out)
	start := e.out.begin(profileSample)
	if !e.writeStack(frames) {
		e.out = e.out[:before]
		return errUnknownLocation
	}
	e.writeValues(&s.Values)
	e.writeLabels(s)
	e.out.end(start)
	e.flushFull()
	return e.err
}

// writeStack returns false if a frame is not a location of this encoder. In both loops below, the buffer is a local variable
// so that the compiler keeps it in registers.
func (e *Encoder) writeStack(frames []LocationID) (known bool) {
	if len(frames) == 0 {
		return true
	}
	limit := uint64(len(e.locations.keys))
	start := e.out.begin(sampleLocationID)
	b := e.out
	for _, id := range frames {
		if uint64(id)-1 >= limit { // 0 wraps around
			return false
		}
		b = appendVarint(b, uint64(id))
	}
	e.out = b
	e.out.end(start)
	return true
}

func (e *Encoder) writeValues(v *stack.Values) {
	values := [...]int64{v.AllocObjects, v.AllocBytes, v.InuseObjects, v.InuseBytes}
	_ = [len(values) - len(allColumns)]int{} // one value for each column: neither difference may be negative
	_ = [len(allColumns) - len(values)]int{}
	start := e.out.begin(sampleValue)
	b := e.out
	for _, value := range values[e.from:e.to] {
		b = appendVarint(b, uint64(value))
	}
	e.out = b
	e.out.end(start)
}

// writeLabelTexts writes the new strings of labels: they are fields beside the sample.
func (e *Encoder) writeLabelTexts(labels []stack.Label) {
	for i := range labels {
		e.text(labels[i].Key)
		e.text(labels[i].Text)
		e.text(labels[i].Unit)
	}
}

// writeLabels writes each key once: keys that differ only in bytes that are not UTF-8 count as equal, and the key of the
// block size is taken. It leaves out labels without a key, and labels with neither text nor unit, which would read as a
// number 0.
func (e *Encoder) writeLabels(s *stack.Sample) {
	e.labelKeys = e.labelKeys[:0]
	if s.BlockSize >= 0 {
		e.writeNumber(e.bytes, s.BlockSize, e.bytes)
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

// isRepeated records key, and reports whether the sample being written already has a label with it.
func (e *Encoder) isRepeated(key uint64) bool {
	if slices.Contains(e.labelKeys, key) {
		return true
	}
	e.labelKeys = append(e.labelKeys, key)
	return false
}
