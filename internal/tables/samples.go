package tables

import (
	"iter"

	"github.com/cgoheap/cgoheap/stack"
)

// Samples are the samples of a view, packed. They are valid as long as the memory of their Reader.
type Samples struct {
	records []record
	stacks  *Stacks
	labels  *labels
}

// Seal frees what is only needed to add more of the reader's samples.
func (s *Samples) Seal() { s.stacks.seal() }

// Resolve is that of the samples' stacks.
func (s *Samples) Resolve(of func(f stack.Frame, noFile bool) stack.Frame) { s.stacks.Resolve(of) }

// Each yields the samples. A sample and its frames are valid until the next is yielded.
func (s *Samples) Each() iter.Seq[*stack.Sample] {
	return func(yield func(*stack.Sample) bool) {
		var sample stack.Sample
		var frames []stack.Frame
		for i := range s.records {
			r := &s.records[i]
			frames = s.stacks.appendFrames(frames[:0], r.stack)
			sample = s.sample(r, frames)
			if !yield(&sample) {
				return
			}
		}
	}
}

func (s *Samples) sample(r *record, frames []stack.Frame) stack.Sample {
	return stack.Sample{ID: r.id, Frames: frames, BlockSize: r.blockSize, Labels: s.labels.of(r.labels), Values: r.Values}
}

// Unpack returns the samples as a slice.
func (s *Samples) Unpack() []stack.Sample {
	frames := s.stacks.Unroll()
	list := make([]stack.Sample, len(s.records))
	for i := range list {
		r := &s.records[i]
		list[i] = s.sample(r, frames[r.stack])
	}
	return list
}
